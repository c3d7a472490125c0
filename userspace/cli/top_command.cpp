// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>

#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/top/top.h"
#include "config/poll_interval.h"

namespace evictd::cli {

namespace {

struct TopCommand {
  std::string socket = kDefaultControlSocket;
  std::string interval = "1s";
  std::string sort = "memory";
  std::string filter;
};

int top_command(const TopCommand& command) {
  const Result<Duration> interval = config::parse_poll_interval(command.interval);
  if (!interval) {
    complain("--interval: " + interval.error().message());
    return kExitUsage;
  }
  // Exceptions are caught here, so that the terminal is restored first.
  try {
    const Result<> ended =
        top::run_top({.socket = command.socket,
                      .interval = *interval,
                      .sort = top::sort_key_named(command.sort).value_or(top::SortKey::kMemory),
                      .filter = command.filter});
    if (ended) {
      return kExitOk;
    }
    complain(ended.error().message());
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kExitFailed;
}

}  // namespace

void add_top(CLI::App& app, int& exit_status) {
  auto command = std::make_shared<TopCommand>();
  CLI::App* subcommand = app.add_subcommand(
      "top",
      "Shows evictd's live view of the node on the whole terminal: the distance to each threshold, "
      "pods in eviction order, and the last events. Waits for evictd if it is not running. The key "
      "? shows all keys, q ends it.");
  subcommand->add_option("--socket", command->socket, "evictd's control socket")
      ->capture_default_str();
  subcommand
      ->add_option(
          "--interval", command->interval,
          "time between two reads of the status, 10ms to 1h; while values move, ten reads a second")
      ->capture_default_str()
      ->check(config::poll_interval_problem);
  subcommand->add_option("--sort", command->sort, "the order of pods at the start")
      ->capture_default_str()
      ->check(CLI::IsMember(top::sort_key_names()));
  subcommand->add_option("--filter", command->filter,
                         "show only pods whose name, uid, QoS or state has this text");
  subcommand->callback([command, &exit_status] { exit_status = top_command(*command); });
}

}  // namespace evictd::cli
