// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/admit.h"
#include "cli/command.h"

namespace evictd::cli {

void add_admit(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<AdmitOptions>();
  options->socket = kDefaultControlSocket;
  CLI::App* command = app.add_subcommand(
      "admit",
      "Prints whether the node admits a pod under the conditions that evictd reports now, with the "
      "kubelet's reason and message.");
  command->add_option("FILE", options->path, "YAML or JSON with one or more pods; - reads stdin")
      ->required();
  CLI::Option* socket = command->add_option("--socket", options->socket, "evictd's control socket");
  socket->capture_default_str();
  CLI::Option* conditions = command->add_option(
      "--conditions", options->conditions,
      "do not ask evictd, assume these: MemoryPressure, DiskPressure, PIDPressure, separated by "
      "commas; \"\" for none");
  conditions->excludes(socket);
  command
      ->add_option("--compatibility", options->compatibility,
                   "with --conditions, the kubelet to follow: 1.32 (default) or 1.26")
      ->needs(conditions);
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->footer(
      "Exit status: 0 every pod is admitted, 1 at least one is refused, 2 no answer: wrong usage,\n"
      "a file that holds no pod, evictd does not answer, or stdout cannot be written.");
  command->callback(
      [options, &exit_status] { exit_status = admit(*options, std::cout, std::cerr); });
}

}  // namespace evictd::cli
