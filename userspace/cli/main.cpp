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
#include "config/nearest_name.h"

namespace {

using evictd::cli::kExitFailed;
using evictd::cli::kExitOk;
using evictd::cli::kExitUsage;

/// The exit status of what would end with `status`, or of a program whose output is lost.
int finish(int status, int lost) {
  const evictd::Result<> written = evictd::base::flush_standard_output();
  if (written) {
    return status;
  }
  evictd::cli::complain(written.error().message());
  return std::max(status, lost);
}

/// Ends with the status of the subcommand that ran.
int finish(const CLI::App& app, int status) {
  // The demonstration looks after its output itself, and 1 is an answer of admit.
  if (app.got_subcommand("demo")) {
    return status;
  }
  return finish(status, app.got_subcommand("admit") ? evictd::cli::kNoAnswer : kExitFailed);
}

/// What is wrong with the subcommand's name; empty if nothing is, or there is none.
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
         evictd::config::nearest_name(given, names) + "; allowed: " + allowed;
}

/// What to call an option that the subcommand does not have; empty if that is not what is wrong.
std::string option_problem(const CLI::App& app) {
  const std::vector<std::string> unexpected = app.remaining(/*recurse=*/true);
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (unexpected.empty() || chosen.empty() || !unexpected.front().starts_with("--")) {
    return {};
  }
  std::vector<std::string> names;
  const CLI::App& subcommand = *chosen.front();
  if (subcommand.get_name() == "check-config") {
    // What is nearest may be a flag of the kubelet, and those are not among its options.
    return {};
  }
  for (const CLI::Option* option : subcommand.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  const std::string given = unexpected.front().substr(0, unexpected.front().find('='));
  return given + ": unknown option of " + subcommand.get_name() + ", the nearest is " +
         evictd::config::nearest_name(given, names);
}

int refuse(const std::string& problem) {
  evictd::cli::complain(problem);
  return kExitUsage;
}

/// CLI11 reports every wrong command line with a status of its own; ours is one for all.
int exit_of(const CLI::App& app, const CLI::ParseError& error) {
  const bool unexpected = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (const std::string problem = unexpected ? option_problem(app) : ""; !problem.empty()) {
    return refuse(problem);
  }
  return finish(app.exit(error) == 0 ? kExitOk : kExitUsage, kExitFailed);
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
    return refuse(arguments.error().message());
  }
  CLI::App app("Looks into evictd, the node-pressure pod evictor, and tries it out.", "evictctl");
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
  add_explain(app, exit_status);
  add_events(app, exit_status);
  add_replay(app, exit_status);
  add_brakes(app, exit_status);
  add_doctor(app, exit_status);
  add_check_config(app, exit_status, arguments->flags);
  add_admit(app, exit_status);
  add_demo(app, exit_status);
  if (const std::string problem = subcommand_problem(app, arguments->rest); !problem.empty()) {
    return refuse(problem);
  }
  try {
    // CLI11 takes arguments from the back.
    std::reverse(arguments->rest.begin(), arguments->rest.end());
    app.parse(std::move(arguments->rest));
  } catch (const CLI::ParseError& error) {
    return exit_of(app, error);
  }
  return finish(app, exit_status);
}
