// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "demo/demo.h"

namespace evictd::cli {

void add_demo(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<demo::DemoOptions>();
  CLI::App* command = app.add_subcommand(
      "demo",
      "Shows evictd at work on this machine: builds a private cgroup tree with real pods, starts "
      "the real daemon on it, lets one pod misbehave, and reports the timeline as observed from "
      "outside the daemon. Removes everything afterwards.");
  demo::add_demo_options(*command, *options);
  command->callback([options, &exit_status] { exit_status = demo::run_demo(*options); });
}

}  // namespace evictd::cli
