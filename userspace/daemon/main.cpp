// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "config/effective.h"
#include "daemon/daemon.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct CommandLine {
  std::string config;
  bool check = false;
};

int check(const evictd::config::Config& config) {
  for (const evictd::config::Warning& warning : config.warnings()) {
    std::cerr << "evictd: warning: " << warning.text << '\n';
  }
  std::cout << evictd::config::effective_yaml(config);
  return 0;
}

int run(const CommandLine& line) {
  using namespace evictd;
  Result<config::Config> config =
      line.config.empty() ? config::Config::defaults() : daemon::load_config(line.config);
  if (!config) {
    std::cerr << "evictd: " << config.error().message() << '\n';
    return kExitFailed;
  }
  if (line.check) {
    return check(*config);
  }
  if (Result<> ended = daemon::run_daemon({.config_file = line.config}, std::move(*config));
      !ended) {
    std::cerr << "evictd: " << ended.error().message() << '\n';
    return kExitFailed;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "Node-pressure pod evictor: kernel programs watch the distance to every threshold, and the "
      "right pod is ended when one is crossed.",
      "evictd");
  app.set_version_flag("--version", std::string("evictd " EVICTD_VERSION));
  app.add_option("--config", line.config,
                 "YAML file with the kubelet's field names; see docs/configuration.md. Without it "
                 "the kubelet's defaults hold.");
  app.add_flag("--check", line.check,
               "print the effective configuration and where each value came from, then exit");
  app.footer(
      "Signals: SIGHUP reads the configuration again and uses it whole or keeps the old one;\n"
      "SIGTERM and SIGINT stop evictd. evictctl shows what it does.\n"
      "Exit status: 0 stopped as asked, 1 could not start or go on, 2 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  return run(line);
}
