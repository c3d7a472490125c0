// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/one_line.h"
#include "base/standard_output.h"
#include "cli/admit.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "command_line/option_problem.h"
#include "config/kubelet_flags.h"
#include "core/nearest_name.h"

namespace {

using evictd::cli::kExitFailed;
using evictd::cli::kExitOk;
using evictd::cli::kExitUsage;

/// Turns `status` into the exit status, or into failure if the program's output is lost.
int finish(int status, int lost) {
  const evictd::Result<> written = evictd::base::flush_standard_output();
  if (written) {
    return status;
  }
  evictd::cli::complain(written.error().message());
  return std::max(status, lost);
}

/// Exits with the status of the subcommand that ran.
int finish(const CLI::App& app, int status) {
  // The demonstration checks its output itself, and 1 is an answer of admit.
  if (app.got_subcommand("demo")) {
    return status;
  }
  return finish(status, app.got_subcommand("admit") ? evictd::cli::kNoAnswer : kExitFailed);
}

/// The error message for the subcommand's name; empty if it is valid or missing.
std::string subcommand_problem(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) {
    return {};
  }
  const std::string& given = arguments.front();
  std::vector<std::string> names;
  std::string allowed;
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    if (subcommand->get_name() == given) {
      return {};
    }
    names.push_back(subcommand->get_name());
    allowed += (allowed.empty() ? "" : ", ") + subcommand->get_name();
  }
  return "\"" + given + "\": unknown subcommand, the nearest is " +
         evictd::core::nearest_name(given, names) + "; allowed: " + allowed;
}

/// Only check-config accepts the kubelet's flags.
bool takes_kubelet_flags(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments.front() == "check-config";
}

/// The error message for an option's name; empty if it is valid.
std::string option_problem(const CLI::App& app, const std::vector<std::string>& arguments) {
  return evictd::command_line::option_problem(app, arguments,
                                              takes_kubelet_flags(arguments)
                                                  ? evictd::config::kubelet_flag_names()
                                                  : std::vector<std::string>());
}

int refuse(const std::string& problem) {
  evictd::cli::complain(problem);
  return kExitUsage;
}

/// CLI11 has many exit statuses for wrong command lines; evictctl uses one.
int exit_of(const CLI::App& app, const CLI::ParseError& error) {
  return finish(app.exit(error) == 0 ? kExitOk : kExitUsage, kExitFailed);
}

evictd::Result<evictd::config::FlagSplit> split(const std::vector<std::string>& arguments) {
  if (!takes_kubelet_flags(arguments)) {
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
    return refuse(arguments.error().message());
  }
  CLI::App app("Inspects and tries out evictd, the node-pressure pod evictor.", "evictctl");
  app.set_version_flag("--version", std::string("evictctl " EVICTD_VERSION));
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return CLI::FailureMessage::simple(
        failed, CLI::Error(error.get_name(), evictd::base::one_line(error.what())));
  });
  app.footer(
      "Exit status: 0 success, 1 the answer is no, the command failed or stdout cannot be "
      "written,\n"
      "2 wrong usage.\n"
      "A subcommand that differs says so in its own --help.");
  int exit_status = kExitOk;
  add_status(app, exit_status);
  add_top(app, exit_status);
  add_explain(app, exit_status);
  add_events(app, exit_status);
  add_replay(app, exit_status);
  add_compare(app, exit_status);
  add_brakes(app, exit_status);
  add_doctor(app, exit_status);
  add_check_config(app, exit_status, arguments->flags);
  add_admit(app, exit_status);
  add_listen(app, exit_status);
  add_demo(app, exit_status);
  if (const std::string problem = subcommand_problem(app, arguments->rest); !problem.empty()) {
    return refuse(problem);
  }
  if (const std::string problem = option_problem(app, arguments->rest); !problem.empty()) {
    return refuse(problem);
  }
  try {
    // CLI11 takes the arguments in reverse order.
    std::reverse(arguments->rest.begin(), arguments->rest.end());
    app.parse(std::move(arguments->rest));
  } catch (const CLI::ParseError& error) {
    return exit_of(app, error);
  }
  return finish(app, exit_status);
}
