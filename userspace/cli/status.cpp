// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/one_line.h"
#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/status_text.h"
#include "cli/terminal.h"

namespace evictd::cli {

namespace {

struct StatusOptions {
  std::string socket = kDefaultControlSocket;
  bool json = false;
};

int status(const StatusOptions& options) {
  const Result<std::string> answer =
      base::request_line(options.socket, nlohmann::json{{"op", "status"}}.dump());
  if (!answer) {
    complain(answer.error().message());
    complain("is evictd running, and is " + options.socket + " its controlSocket?");
    return kExitFailed;
  }
  if (const std::string refusal = refusal_in(*answer); !refusal.empty()) {
    complain(refusal);
    return kExitFailed;
  }
  const auto parsed = base::parse_json<nlohmann::ordered_json>(*answer).value_or(nullptr);
  if (!parsed.is_object()) {
    complain(options.socket + ": the answer is not a JSON object");
    return kExitFailed;
  }
  if (options.json) {
    std::cout << base::one_line_json(*answer) << '\n';
  } else {
    print_status(parsed, std::cout);
  }
  return kExitOk;
}

}  // namespace

void add_status(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* command = app.add_subcommand(
      "status",
      "Shows what the running evictd sees and does: signals against thresholds, conditions, pods "
      "with usage, request, QoS, priority and rank, hooks in use, drops and the last evictions.");
  command->add_flag("--json", options->json, "print evictd's whole answer as one JSON object");
  command->add_option("--socket", options->socket, "evictd's control socket")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = status(*options); });
}

}  // namespace evictd::cli
