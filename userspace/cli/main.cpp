// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"

namespace {

/// CLI11 reports every wrong command line with a status of its own; ours is one for all.
int exit_of(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? evictd::cli::kExitOk : evictd::cli::kExitUsage;
}

/// The kubelet's flags belong to check-config alone.
evictd::Result<evictd::config::FlagSplit> split(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "check-config") {
    return evictd::config::FlagSplit{.flags = {}, .rest = arguments};
  }
  return evictd::config::split_flags(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace evictd::cli;
  evictd::Result<evictd::config::FlagSplit> arguments =
      split(std::vector<std::string>(argv + 1, argv + argc));
  if (!arguments) {
    std::cerr << "evictctl: " << arguments.error().message() << '\n';
    return kExitUsage;
  }
  CLI::App app("Looks into evictd, the node-pressure pod evictor, and tries it out.", "evictctl");
  app.set_version_flag("--version", std::string("evictctl " EVICTD_VERSION));
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 the answer is no or the command failed, 2 wrong usage.\n"
      "A subcommand that differs says so in its own --help.");
  int exit_status = kExitOk;
  add_status(app, exit_status);
  add_explain(app, exit_status);
  add_events(app, exit_status);
  add_replay(app, exit_status);
  add_brakes(app, exit_status);
  add_doctor(app, exit_status);
  add_check_config(app, exit_status, arguments->flags);
  add_admit(app, exit_status);
  add_demo(app, exit_status);
  try {
    // CLI11 takes arguments from the back.
    std::reverse(arguments->rest.begin(), arguments->rest.end());
    app.parse(std::move(arguments->rest));
  } catch (const CLI::ParseError& error) {
    return exit_of(app, error);
  }
  return exit_status;
}
