// SPDX-License-Identifier: Apache-2.0
#include "probe/doctor.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/command.h"
#include "probe/ladder_search.h"
#include "probe/probe.h"

namespace evictd::cli {

namespace {

struct DoctorOptions {
  bool json = false;
  bool per_page_hook = false;
  std::vector<std::string> pins;
  std::string btf;
};

/// "PURPOSE=ROW" pairs as the probe wants them. Throws what CLI11 reports as wrong usage.
std::map<probe::Purpose, std::string> parse_pins(const std::vector<std::string>& texts) {
  std::map<probe::Purpose, std::string> pins;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::optional<probe::Purpose> purpose = probe::purpose_of(text.substr(0, equals));
    if (equals == std::string::npos || !purpose) {
      throw CLI::ValidationError("--pin", text + " is not PURPOSE=ROW with a purpose of the table");
    }
    pins[*purpose] = text.substr(equals + 1);
  }
  if (const Result<probe::LadderSearch> search = probe::LadderSearch::create({.pins = pins});
      !search) {
    throw CLI::ValidationError("--pin", search.error().message());
  }
  return pins;
}

int doctor(const DoctorOptions& options) {
  probe::Options probe_options;
  probe_options.pins = parse_pins(options.pins);
  probe_options.per_page_hook = options.per_page_hook;
  probe_options.custom_btf_path = options.btf;
  const probe::Ladder ladder = probe::Probe::examine(probe_options);
  std::cout << (options.json ? probe::doctor_json(ladder) : probe::doctor_text(ladder));
  return probe::doctor_exit_code(ladder);
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Loads and attaches every hook once, as evictd would, and prints what this kernel gives: per "
      "purpose the row chosen, why the rows above it failed and what is lost; then privileges and "
      "kernel features. Leaves nothing behind.");
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->add_flag("--per-page-hook", options->per_page_hook, "also try the per-page hook");
  command->add_option("--pin", options->pins,
                      "PURPOSE=ROW: use this row or none (repeatable), as attach in the config");
  command
      ->add_option("--btf", options->btf,
                   "relocate the programs by this BTF; the kernel's own in /sys/kernel/btf is "
                   "needed all the same")
      ->check(CLI::ExistingFile);
  command->footer(
      "Exit status: 0 everything there, 1 degraded or stdout cannot be written, 2 nothing but "
      "polling.");
  command->callback([options, &exit_status] { exit_status = doctor(*options); });
}

}  // namespace evictd::cli
