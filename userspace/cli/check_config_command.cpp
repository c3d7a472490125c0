// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/check_config.h"
#include "cli/command.h"
#include "cli/node_facts.h"
#include "notify/loader.h"
#include "probe/attach_table.h"

namespace evictd::cli {

void add_check_config(CLI::App& app, int& exit_status,
                      const std::vector<config::GivenFlag>& flags) {
  auto options = std::make_shared<CheckConfigOptions>();
  options->sources.flags = flags;
  CLI::App* command = app.add_subcommand(
      "check-config",
      "Checks a configuration as evictd would, without starting it, and prints the effective one "
      "with the origin of each value.");
  command->add_option("FILE,--config", options->sources.config_file, "evictd's own YAML file");
  command->add_option("--kubelet-config", options->sources.kubelet_config_file,
                      "the kubelet's own configuration, a KubeletConfiguration of v1beta1");
  command->add_option("--kubelet-config-dir", options->sources.kubelet_config_dir,
                      "directory of its drop-in files (*.conf), as the kubelet's --config-dir");
  auto node = std::make_shared<NodeFactOptions>();
  command
      ->add_option("--memory-capacity", node->memory_capacity,
                   "check for a node with this much memory, not for this machine")
      ->check(amount_problem);
  command
      ->add_option("--storage-capacity", node->storage_capacity,
                   "check for a node filesystem of this size")
      ->check(amount_problem);
  command
      ->add_option("--pod-rate", node->pod_rate,
                   "growth of the pods in bytes per second, instead of a running evictd's "
                   "measurement")
      ->check(amount_problem);
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->add_flag("--quiet", options->quiet, "print only problems");
  command->footer(
      config::kubelet_flag_usage() +
      "\nExit status: 0 valid (with or without warnings), 1 not valid or stdout cannot be "
      "written, 2 wrong usage.");
  command->callback([options, node, &exit_status] {
    if (!options->sources.has_files() && options->sources.flags.empty()) {
      throw CLI::RequiredError("FILE, --kubelet-config, --kubelet-config-dir or a kubelet's flag");
    }
    for (const probe::AttachRow& row : probe::attach_table()) {
      options->vocabulary.attach_rows[std::string(probe::to_string(row.purpose))].emplace_back(
          row.name);
    }
    for (const notify::AttachRow& row : notify::attach_rows()) {
      options->vocabulary.attach_rows[std::string(notify::kPurpose)].emplace_back(row.name);
    }
    options->look_at_node = [node](const config::Config& config) {
      return look_at_node(*node, config);
    };
    exit_status = check_config(*options, std::cout, std::cerr);
  });
}

}  // namespace evictd::cli
