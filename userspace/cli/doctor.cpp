// SPDX-License-Identifier: Apache-2.0
#include "probe/doctor.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/command.h"
#include "cli/doctor_pins.h"
#include "notify/loader.h"
#include "probe/probe.h"

namespace evictd::cli {

namespace {

struct DoctorOptions {
  bool json = false;
  bool per_page_hook = false;
  bool notify = false;
  std::vector<std::string> pins;
  std::string btf;
};

/// Loads and attaches the kernel side of notifications once, and releases it.
probe::NotifyHooks look_at_notifications(const std::string& pin, bool wanted) {
  const notify::Loaded loaded = notify::load({.pin = pin});
  return {.rows = loaded.rows,
          .lost = std::string(loaded.row != nullptr ? loaded.row->lost : notify::kLostByPolling),
          .wanted = wanted};
}

int doctor(const DoctorOptions& options) {
  probe::Options probe_options;
  const Result<Pins> pins = parse_pins(options.pins);
  if (!pins) {
    throw CLI::ValidationError("--pin", pins.error().message());
  }
  probe_options.pins = pins->purposes;
  probe_options.per_page_hook = options.per_page_hook;
  probe_options.custom_btf_path = options.btf;
  const probe::Ladder ladder = probe::Probe::examine(probe_options);
  const probe::NotifyHooks hooks = look_at_notifications(pins->notify, options.notify);
  std::cout << (options.json ? probe::doctor_json(ladder, hooks)
                             : probe::doctor_text(ladder, hooks));
  return probe::doctor_exit_code(ladder, hooks);
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Loads and attaches every hook once, as evictd would, and prints what this kernel supports: "
      "per purpose the chosen row, why the rows above it failed and what is lost; then privileges "
      "and kernel features. Leaves nothing behind.");
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->add_flag("--per-page-hook", options->per_page_hook, "also try the per-page hook");
  command->add_flag("--notify", options->notify,
                    "also check notifications: what they lose counts as degraded too");
  command->add_option("--pin", options->pins,
                      "PURPOSE=ROW: use this row or none (repeatable, once a purpose), as "
                      "attachPins in the config");
  command
      ->add_option("--btf", options->btf,
                   "relocate the programs with this BTF; the kernel's own in /sys/kernel/btf is "
                   "still needed")
      ->check(CLI::ExistingFile);
  command->footer(
      "Exit status: 0 everything works, 1 degraded or stdout cannot be written, 2 only polling "
      "works, or there is no memory controller, without which evictd does not start.");
  command->callback([options, &exit_status] { exit_status = doctor(*options); });
}

}  // namespace evictd::cli
