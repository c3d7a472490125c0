// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/one_line.h"
#include "base/standard_output.h"
#include "command_line/option_problem.h"
#include "config/effective.h"
#include "config/kubelet_flags.h"
#include "config/written_files.h"
#include "core/go_duration.h"
#include "daemon/configuration.h"
#include "daemon/daemon.h"
#include "daemon/notify/notify_only.h"
#include "evictd/abi/notify_wire.h"
#include "eviction/quantity.h"
#include "notify/loader.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct CommandLine {
  evictd::config::Sources sources;
  bool check = false;
  std::string record;
  std::string record_max_bytes;
  std::string record_max_time;
  bool notify_only = false;
  std::string notify_socket = EVICTD_NOTIFY_SOCKET;
  std::string notify_hook;
};

/// Errors: kInvalid, naming the flag, its value and what is allowed.
evictd::Result<std::optional<evictd::daemon::RecordingOptions>> recording_of(
    const CommandLine& line) {
  using namespace evictd;
  daemon::RecordingOptions options;
  options.file = line.record;
  if (!line.record_max_bytes.empty()) {
    const Result<eviction::Quantity> most = eviction::Quantity::parse(line.record_max_bytes);
    if (!most || most->value() < (1_MiB).value || most->value() > (1024_GiB).value) {
      return fail(Errc::kInvalid, "--record-max-bytes: " + line.record_max_bytes +
                                      ": not allowed; allowed: a quantity from 1Mi to 1Ti");
    }
    options.max_bytes = Bytes{most->value()};
  }
  if (!line.record_max_time.empty()) {
    const Result<Duration> most = core::parse_go_duration(line.record_max_time);
    if (!most || *most < std::chrono::seconds(1) || *most > std::chrono::hours(24 * 365)) {
      return fail(Errc::kInvalid, "--record-max-time: " + line.record_max_time +
                                      ": not allowed; allowed: a duration from 1s to 8760h");
    }
    options.max_time = *most;
  }
  return line.record.empty() ? std::nullopt : std::optional(options);
}

/// Texts and paths from outside may be part of it.
void complain(const std::string& what) {
  std::cerr << "evictd: " << evictd::base::one_line(what) << '\n';
}

int check(const evictd::config::Config& config) {
  for (const evictd::config::Warning& warning : config.warnings()) {
    complain("warning: " + warning.text);
  }
  if (!config.ignored().empty()) {
    complain("evictd ignores these kubelet settings: " +
             evictd::config::to_string(config.ignored()));
  }
  std::cout << evictd::config::effective_yaml(config);
  return 0;
}

/// The problem of an attach row's name; empty if there is none.
std::string hook_problem(const std::string& name) {
  std::string allowed = "none";
  for (const evictd::notify::AttachRow& row : evictd::notify::attach_rows()) {
    allowed += ", " + std::string(row.name);
    if (row.name == name) {
      return "";
    }
  }
  return name == "none" ? "" : "\"" + name + "\": not allowed; allowed: " + allowed;
}

int serve_notifications(const CommandLine& line) {
  const evictd::Result<> ended =
      evictd::daemon::run_notify_only({.socket = line.notify_socket, .hook = line.notify_hook});
  if (!ended) {
    complain(ended.error().message());
    return kExitFailed;
  }
  return 0;
}

int run(const CommandLine& line) {
  using namespace evictd;
  if (line.notify_only) {
    return serve_notifications(line);
  }
  Result<std::optional<daemon::RecordingOptions>> recording = recording_of(line);
  if (!recording) {
    complain(recording.error().message());
    return kExitUsage;
  }
  Result<config::Config> config = daemon::load_config(line.sources);
  if (!config) {
    complain(config.error().message());
    return kExitFailed;
  }
  if (const Result<> apart =
          config::check_recording_path("--record", line.record, config->settings(), line.sources);
      !line.record.empty() && !apart) {
    complain(apart.error().message());
    return kExitFailed;
  }
  if (line.check) {
    return check(*config);
  }
  if (Result<> ended = daemon::run_daemon(
          {.sources = line.sources, .recording = std::move(*recording)}, std::move(*config));
      !ended) {
    complain(ended.error().message());
    return kExitFailed;
  }
  return 0;
}

/// The exit status if evictd would end with `status`: output of --check must not be lost unnoticed.
int finish(int status) {
  const evictd::Result<> written = evictd::base::flush_standard_output();
  if (written) {
    return status;
  }
  complain(written.error().message());
  return std::max(status, kExitFailed);
}

/// The problem of an option's value that must not be empty.
std::string empty_problem(const std::string& text) {
  return text.empty() ? "\"\": not allowed; allowed: a value that is not empty" : "";
}

std::string footer() {
  return evictd::config::kubelet_flag_usage() +
         "\nWeakest first: defaults, --config, --kubelet-config, --kubelet-config-dir, flags.\n"
         "Signals: SIGHUP reads the configuration again and uses it whole or keeps the old one;\n"
         "SIGTERM and SIGINT stop evictd. evictctl shows what it does.\n"
         "Exit status: 0 stopped as asked, 1 could not start or go on, or stdout cannot be "
         "written,\n"
         "2 wrong usage.";
}

void add_configuration_options(CLI::App& app, CommandLine& line) {
  app.add_option("--config", line.sources.config_file,
                 "YAML file with the kubelet's field names; see docs/configuration.md. Without it "
                 "the kubelet's defaults hold.");
  app.add_option("--kubelet-config", line.sources.kubelet_config_file,
                 "the kubelet's own configuration, a KubeletConfiguration of v1beta1");
  app.add_option("--kubelet-config-dir", line.sources.kubelet_config_dir,
                 "directory of its drop-in files (*.conf), as the kubelet's --config-dir");
  app.add_flag("--check", line.check,
               "print the effective configuration and where each value came from, then exit");
}

/// Returns the option that the other recording options need.
CLI::Option* add_recording_options(CLI::App& app, CommandLine& line) {
  CLI::Option* record = app.add_option(
      "--record", line.record,
      "write every input and decision of every pass to this file, for evictctl replay; an earlier "
      "one becomes FILE.1");
  record->check(empty_problem);
  app.add_option("--record-max-bytes", line.record_max_bytes,
                 "the recording ends at about this size (default 256Mi)")
      ->needs(record)
      ->check(empty_problem);
  app.add_option("--record-max-time", line.record_max_time,
                 "the recording ends after so long, such as 24h (default never)")
      ->needs(record)
      ->check(empty_problem);
  return record;
}

/// Call it after the other options: they exclude --notify-only.
void add_notification_options(CLI::App& app, CommandLine& line, CLI::Option* record) {
  CLI::Option* notify_only = app.add_flag(
      "--notify-only", line.notify_only,
      "serve notifications of thresholds (docs/notify.md) and do nothing else: no pods, no "
      "eviction, no configuration");
  notify_only->excludes(record);
  for (const char* other : {"--config", "--kubelet-config", "--kubelet-config-dir", "--check"}) {
    notify_only->excludes(app.get_option(other));
  }
  app.add_option("--notify-socket", line.notify_socket,
                 "with --notify-only: the socket (default " EVICTD_NOTIFY_SOCKET ")")
      ->needs(notify_only)
      ->check(empty_problem);
  app.add_option("--notify-hook", line.notify_hook,
                 "with --notify-only: the row of hooks to use (fexit, kprobe, tp_btf), or none to "
                 "read files; the best that works without it")
      ->needs(notify_only)
      ->check(hook_problem);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "Node-pressure pod evictor: kernel programs watch the distance to every threshold, and the "
      "right pod is ended when one is crossed.",
      "evictd");
  app.set_version_flag("--version", std::string("evictd " EVICTD_VERSION));
  add_configuration_options(app, line);
  add_notification_options(app, line, add_recording_options(app, line));
  app.footer(footer());
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return CLI::FailureMessage::simple(
        failed, CLI::Error(error.get_name(), evictd::base::one_line(error.what())));
  });
  try {
    evictd::Result<evictd::config::FlagSplit> split =
        evictd::config::split_flags(std::vector<std::string>(argv + 1, argv + argc));
    if (!split) {
      complain(split.error().message());
      return kExitUsage;
    }
    if (const std::string problem = evictd::command_line::option_problem(
            app, split->rest, evictd::config::kubelet_flag_names());
        !problem.empty()) {
      complain(problem);
      return kExitUsage;
    }
    line.sources.flags = std::move(split->flags);
    // CLI11 takes arguments from the back.
    std::reverse(split->rest.begin(), split->rest.end());
    app.parse(std::move(split->rest));
  } catch (const CLI::ParseError& error) {
    return finish(app.exit(error) == 0 ? 0 : kExitUsage);
  }
  return finish(run(line));
}
