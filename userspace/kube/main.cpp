// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/one_line.h"
#include "base/standard_output.h"
#include "base/system_clock.h"
#include "base/unix_socket.h"
#include "command_line/option_problem.h"
#include "kube/bridge.h"
#include "kube/kube_config.h"
#include "kube/reclaim_command.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct CommandLine {
  std::string config;
  bool check = false;
  bool status = false;
  /// "containers" or "images"; empty: neither.
  std::string reclaim;
};

/// `what` may contain texts and paths from outside.
int complain(const std::string& what) {
  std::cerr << "evictd-kube: " << evictd::base::one_line(what) << '\n';
  return kExitFailed;
}

int show_status(const evictd::kube::KubeSettings& settings) {
  const evictd::Result<std::string> answer =
      evictd::base::request_line(settings.status_socket, R"({"op":"status"})");
  if (!answer) {
    return complain(answer.error().in("is evictd-kube running?").message());
  }
  std::cout << evictd::base::one_line_json(*answer) << '\n';
  return 0;
}

int serve(evictd::kube::KubeSettings settings) {
  using namespace evictd;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT}) {
    sigaddset(&set, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const base::SystemClock clock;
  base::Log log(settings.log, clock, base::detect_log_stream());
  Result<std::unique_ptr<kube::Bridge>> bridge = kube::Bridge::create(
      {.settings = std::move(settings), .version = EVICTD_VERSION, .clock = &clock, .log = &log});
  if (!bridge) {
    return complain(bridge.error().message());
  }
  const Result<> ended = (*bridge)->run();
  return ended ? 0 : complain(ended.error().message());
}

int reclaim(const evictd::kube::KubeSettings& settings, const std::string& what) {
  using namespace evictd;
  ::signal(SIGPIPE, SIG_IGN);
  const base::SystemClock clock;
  const Result<cri::Reclaimed> sum = what == "containers"
                                         ? kube::reclaim_containers(settings, clock)
                                         : kube::reclaim_images(settings, clock);
  if (!sum) {
    return complain(sum.error().message());
  }
  std::cout << base::one_line(kube::to_text(*sum)) << '\n';
  return sum->failures == 0 ? 0 : kExitFailed;
}

int run(const CommandLine& line) {
  evictd::Result<evictd::kube::KubeSettings> settings = evictd::kube::read_kube_config(line.config);
  if (!settings) {
    return complain(settings.error().message());
  }
  if (line.check) {
    return 0;
  }
  if (!line.reclaim.empty()) {
    return reclaim(*settings, line.reclaim);
  }
  return line.status ? show_status(*settings) : serve(std::move(*settings));
}

void add_options(CLI::App& app, CommandLine& line) {
  app.set_version_flag("--version", std::string("evictd-kube " EVICTD_VERSION));
  app.add_option("--config", line.config, "YAML file; see docs/kubernetes.md")->required();
  CLI::Option* check = app.add_flag("--check", line.check, "only check the configuration");
  app.add_flag("--status", line.status, "print the status of the running evictd-kube, as JSON")
      ->excludes(check);
  CLI::App* reclaim =
      app.add_subcommand("reclaim", "remove dead containers or unused images; evictd can run it");
  reclaim->add_option("WHAT", line.reclaim, "containers or images")
      ->required()
      ->check(CLI::IsMember({"containers", "images"}));
}

/// Returns `status`, or a failure if the output could not be written.
int finish(int status) {
  const evictd::Result<> written = evictd::base::flush_standard_output();
  return written ? status : std::max(status, complain(written.error().message()));
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "Describes the pods of this node to evictd, as its kubelet or the API server knows them. "
      "With a mode, makes the evictions of evictd final at the API server, or compares its dry run "
      "with the kubelet.",
      "evictd-kube");
  add_options(app, line);
  app.footer(
      "Signals: SIGTERM and SIGINT stop evictd-kube; evictd continues with the last known pods.\n"
      "Exit status: 0 stopped as asked, 1 could not start or continue, 2 wrong usage.");
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return CLI::FailureMessage::simple(
        failed, CLI::Error(error.get_name(), evictd::base::one_line(error.what())));
  });
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const std::string problem = evictd::command_line::option_problem(app, arguments, {});
      !problem.empty()) {
    complain(problem);
    return kExitUsage;
  }
  try {
    // CLI11 takes arguments from the back.
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return finish(app.exit(error) == 0 ? 0 : kExitUsage);
  }
  return finish(run(line));
}
