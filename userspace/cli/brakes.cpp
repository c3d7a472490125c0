// SPDX-License-Identifier: Apache-2.0
// pause, resume and dry-run: change a running evictd without its configuration.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/one_line.h"
#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/terminal.h"
#include "config/pause.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct BrakeOptions {
  std::string socket = kDefaultControlSocket;
  std::string length;
  std::string signal;
  std::string on;
  bool json = false;
};

/// The error message for an option's text; empty if it is valid.
std::string length_problem(const std::string& text) {
  const Result<Duration> length = config::parse_pause_length(text);
  return length ? std::string() : length.error().message();
}

/// The daemon itself refuses a signal that only its compatibility lacks.
std::string signal_problem(const std::string& text) {
  const Result<eviction::Signal> signal =
      config::parse_paused_signal(text, eviction::Compat::k1_32);
  return signal ? std::string() : signal.error().message();
}

void print(const Json& answer) {
  std::cout << "dry run: " << (answer["dry_run"].get<bool>() ? "on" : "off") << '\n';
  if (answer["pauses"].empty()) {
    std::cout << "paused: nothing\n";
  }
  for (const Json& pause : answer["pauses"]) {
    const std::string what =
        pause["signal"].is_string() ? pause["signal"].get<std::string>() : "everything";
    std::cout << base::one_line("paused: " + what + " until " + pause["until"].get<std::string>())
              << '\n';
  }
}

int ask(const BrakeOptions& options, Json request) {
  if (!options.signal.empty()) {
    request["signal"] = options.signal;
  }
  const Result<std::string> answer = base::request_line(options.socket, request.dump());
  if (!answer) {
    complain(answer.error().message());
    complain("is evictd running, and is " + options.socket + " its controlSocket?");
    return kExitFailed;
  }
  const Json parsed = base::parse_json<Json>(*answer).value_or(Json());
  if (!parsed.is_object() || !parsed.value("ok", false)) {
    const std::string refusal = refusal_in(*answer);
    complain(refusal.empty() ? *answer : refusal);
    return kExitFailed;
  }
  if (options.json) {
    std::cout << base::one_line_json(*answer) << '\n';
  } else {
    print(parsed);
  }
  return kExitOk;
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& text,
                      const std::shared_ptr<BrakeOptions>& options) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("--socket", options->socket, "evictd's control socket")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print evictd's answer as one JSON object");
  return command;
}

}  // namespace

void add_brakes(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<BrakeOptions>();
  CLI::App* pause = add_command(
      app, "pause",
      "Holds all evictions of the running evictd for a while, but not the kernel's OOM killer. "
      "Pods that already got SIGTERM are still killed. Survives a reload and a restart of evictd.",
      options);
  pause->add_option("--for", options->length, "how long: a duration such as 10m, up to 24h")
      ->required()
      ->check(length_problem);
  pause
      ->add_option(
          "--signal", options->signal,
          "only thresholds on this signal, such as memory.available, and those derived from them")
      ->check(signal_problem);
  pause->callback([options, &exit_status] {
    exit_status = ask(*options, {{"op", "pause"}, {"for", options->length}});
  });

  CLI::App* resume = add_command(app, "resume", "Ends pauses early.", options);
  resume
      ->add_option("--signal", options->signal,
                   "only the pause of this signal; without it every pause ends")
      ->check(signal_problem);
  resume->callback([options, &exit_status] { exit_status = ask(*options, {{"op", "resume"}}); });

  CLI::App* dry_run = add_command(
      app, "dry-run",
      "Switches dry run of the running evictd on or off, in place of the configuration's dryRun: "
      "decisions are recorded, but no process is signalled. Stays in force until it is switched "
      "again, or until the configuration's dryRun changes.",
      options);
  dry_run->add_option("STATE", options->on, "on or off")
      ->required()
      ->check(CLI::IsMember({"on", "off"}));
  dry_run->callback([options, &exit_status] {
    exit_status = ask(*options, {{"op", "dry_run"}, {"on", options->on == "on"}});
  });
}

}  // namespace evictd::cli
