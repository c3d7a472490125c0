// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/listener.h"
#include "cli/terminal.h"
#include "core/leading_zero.h"
#include "evictd/abi/notify_wire.h"

namespace evictd::cli {
namespace {

const std::map<std::string, evictd_notify_signal>& signal_names() {
  static const std::map<std::string, evictd_notify_signal> names{
      {"usage", EVICTD_NOTIFY_USAGE},
      {"memsw", EVICTD_NOTIFY_MEMSW},
      {"working-set", EVICTD_NOTIFY_WORKING_SET},
      {"rate", EVICTD_NOTIFY_RATE},
      {"pids", EVICTD_NOTIFY_PIDS},
      {"pressure", EVICTD_NOTIFY_PRESSURE},
      {"oom", EVICTD_NOTIFY_OOM},
  };
  return names;
}

const std::map<std::string, evictd_notify_direction>& direction_names() {
  static const std::map<std::string, evictd_notify_direction> names{
      {"both", EVICTD_NOTIFY_BOTH}, {"up", EVICTD_NOTIFY_UP}, {"down", EVICTD_NOTIFY_DOWN}};
  return names;
}

/// Parses one of `names`.
template <typename Value>
CLI::Validator one_of(const std::map<std::string, Value>& names) {
  std::string allowed;
  for (const auto& [name, value] : names) {
    allowed += (allowed.empty() ? "" : ", ") + name;
  }
  const auto read = [&names, allowed](std::string& text) {
    const auto found = names.find(text);
    if (found == names.end()) {
      return '"' + text + "\": not known; allowed: " + allowed;
    }
    text = std::to_string(found->second);
    return std::string();
  };
  return {read, "one of: " + allowed};
}

/// CLI11 takes "-1" for the largest number, and "010" for 8.
std::string number_problem(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end && number > 0) {
    return core::leading_zero_problem(text);
  }
  return '"' + text + "\": not allowed; allowed: a whole number from 1 on";
}

int listen(const ListenOptions& options) {
  Result<Listener> listener = Listener::create(options);
  if (!listener) {
    complain(listener.error().message());
    return listener.error().code == Errc::kInvalid ? kExitUsage : kExitFailed;
  }
  if (const Result<> run = listener->run(); !run) {
    complain(run.error().message());
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace

void add_listen(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ListenOptions>();
  options->socket = EVICTD_NOTIFY_SOCKET;
  CLI::App* command = app.add_subcommand(
      "listen",
      "Prints a line whenever a cgroup crosses a threshold, until the cgroup is removed: the "
      "kernel's cgroup_event_listener on every cgroup version.");
  command
      ->add_option("PATH", options->path,
                   "a control file such as memory.usage_in_bytes, memory.pressure_level or "
                   "memory.oom_control, or a cgroup's directory, which stands for its usage")
      ->required();
  command->add_option(
      "ARGUMENT", options->arguments,
      "a threshold, such as 100M or 90%, or another argument of the control file: low, medium or "
      "critical with ,hierarchy or ,local; several for several listeners");
  command->add_option("--signal,-s", options->signal, "overrides the signal that PATH implies")
      ->transform(one_of(signal_names()));
  command->add_option("--direction,-d", options->direction, "crossings that count")
      ->transform(one_of(direction_names()));
  command->add_option("--hysteresis", options->hysteresis,
                      "count a downward crossing only below the threshold minus this quantity");
  command->add_option("--count,-n", options->count, "end after this many lines")
      ->check(CLI::Validator(number_problem, ""));
  command->add_option("--socket", options->socket, "evictd's notification socket")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = listen(*options); });
}

}  // namespace evictd::cli
