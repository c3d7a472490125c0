// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/check_config.h"
#include "cli/command.h"
#include "probe/attach_table.h"

namespace evictd::cli {

void add_check_config(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<CheckConfigOptions>();
  CLI::App* command = app.add_subcommand(
      "check-config",
      "Judges a configuration file as evictd would, without starting it, and prints the effective "
      "configuration with the origin of each value.");
  command->add_option("FILE", options->path, "the YAML file")->required();
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->add_flag("--quiet", options->quiet, "say only what is wrong");
  command->footer("Exit status: 0 valid (with or without warnings), 1 not valid, 2 wrong usage.");
  command->callback([options, &exit_status] {
    for (const probe::AttachRow& row : probe::attach_table()) {
      options->vocabulary.attach_rows[std::string(probe::to_string(row.purpose))].emplace_back(
          row.name);
    }
    exit_status = check_config(*options, std::cout, std::cerr);
  });
}

}  // namespace evictd::cli
