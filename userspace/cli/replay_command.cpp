// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/replay_text.h"
#include "cli/terminal.h"
#include "config/poll_interval.h"
#include "evictd/try.h"

namespace evictd::cli {

namespace {

struct ReplayOptions {
  std::string recording;
  std::string config;
  /// "1.26" or "1.32"; empty for the recorded one.
  std::string compat;
  std::string interval;
  bool without_events = false;
  bool json = false;
};

Result<replay::WhatIf> changes_of(const ReplayOptions& options) {
  replay::WhatIf changes;
  if (!options.compat.empty()) {
    changes.compat = options.compat == "1.26" ? eviction::Compat::k1_26 : eviction::Compat::k1_32;
  }
  changes.without_events = options.without_events;
  if (!options.config.empty()) {
    EVICTD_ASSIGN_OR_RETURN(changes.config, config::load_file(options.config));
  }
  if (!options.interval.empty()) {
    EVICTD_ASSIGN_OR_RETURN(changes.interval,
                            EVICTD_IN("--interval", config::parse_poll_interval(options.interval)));
  }
  return changes;
}

std::string changes_text(const ReplayOptions& options) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (!options.config.empty()) {
    add("the configuration " + options.config);
  }
  if (!options.compat.empty()) {
    add("the rules of " + options.compat);
  }
  if (!options.interval.empty()) {
    add("a pass every " + options.interval);
  }
  if (options.without_events) {
    add("no kernel events");
  }
  return text;
}

/// Returns the exit status, or the error.
Result<int> run(const ReplayOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(const replay::WhatIf changes, changes_of(options));
  EVICTD_ASSIGN_OR_RETURN(const replay::Recording recording,
                          replay::read_recording(options.recording));
  if (!recording.warning.empty()) {
    warn(recording.warning);
  }
  const Duration offset = recording.header.wall_offset;
  EVICTD_ASSIGN_OR_RETURN(const replay::Verification verification,
                          EVICTD_IN(options.recording, replay::verify(recording)));
  if (!changes.asked() || verification.difference) {
    if (options.json) {
      std::cout << json_line(to_json(verification, offset)) << '\n';
    } else {
      print_verification(verification, offset, std::cout);
    }
    return verification.difference ? kExitFailed : kExitOk;
  }
  EVICTD_ASSIGN_OR_RETURN(const replay::Counterfactual result,
                          EVICTD_IN(options.recording, replay::what_if(recording, changes)));
  if (options.json) {
    std::cout << json_line(to_json(result, offset)) << '\n';
  } else {
    print_verification(verification, offset, std::cout);
    print_counterfactual(result, changes_text(options), offset, std::cout);
  }
  return kExitOk;
}

int replay_recording(const ReplayOptions& options) {
  const Result<int> status = run(options);
  if (!status) {
    complain(status.error().message());
    return kExitFailed;
  }
  return *status;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay",
                         "Replays a recording of evictd --record. Without an option, every "
                         "decision must equal the recorded one byte for byte; with one, prints the "
                         "recorded decisions and what evictd would have decided, side by side.");
  command->add_option("recording", options->recording, "a recording of evictd --record")
      ->required();
  command->add_option("--config", options->config, "decide with this configuration");
  command->add_option("--compat", options->compat, "follow the rules of 1.26 or 1.32")
      ->check(CLI::IsMember({"1.26", "1.32"}));
  command->add_option("--interval", options->interval, "time between regular passes, such as 10s")
      ->check(config::poll_interval_problem);
  command->add_flag("--without-events", options->without_events,
                    "as if the kernel side had reported nothing: regular passes and deadlines "
                    "only");
  command->add_flag("--json", options->json, "one JSON object");
  command->footer(
      "Exit status: 0 as recorded, or what would have been is shown; 1 the first difference is "
      "shown, the recording cannot be read, or stdout cannot be written; 2 wrong usage.");
  command->callback([options, &exit_status] { exit_status = replay_recording(*options); });
}

}  // namespace evictd::cli
