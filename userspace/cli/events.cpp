// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/line_connection.h"
#include "base/system_clock.h"
#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/event_text.h"
#include "cli/journal_lines.h"
#include "cli/record_source.h"
#include "cli/refusal.h"
#include "cli/terminal.h"
#include "evictd/try.h"
#include "export/json_time.h"
#include "export/record_reader.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EventsOptions {
  RecordSource source;
  std::string since;
  std::optional<std::uint64_t> after;
  bool follow = false;
  bool json = false;
};

/// Default of --since, without and with --follow: a duration before now.
constexpr const char* kDefaultSince = "1h";
constexpr const char* kFollowedSince = "0s";

/// Prints lines in the order of the events.
class LinePrinter {
 public:
  LinePrinter(bool json, WallTime since) : json_(json), repetitions_(since) {}

  void print(const Json& line) {
    if (json_) {
      std::cout << json_line(line) << '\n';
    } else if (!repetitions_.take(line)) {
      std::cout << event_text(line) << '\n';
    }
  }

 private:
  bool json_;
  Repetitions repetitions_;
};

/// Errors: kInvalid with evictd's refusal.
Result<> print_followed(const std::vector<std::string>& lines, LinePrinter& printer) {
  for (const std::string& text : lines) {
    if (const std::string refusal = refusal_in(text); !refusal.empty()) {
      return fail(Errc::kInvalid, refusal);
    }
    const Json line = base::parse_json<Json>(text).value_or(Json());
    if (line.is_object()) {
      printer.print(line);
    }
  }
  std::cout.flush();
  return {};
}

/// Prints lines as they arrive, until the daemon or the reader of our output exits.
Result<> follow(const std::string& socket, const std::string& request, LinePrinter& printer) {
  EVICTD_ASSIGN_OR_RETURN(
      base::LineConnection connection,
      EVICTD_IN("is evictd running?", base::LineConnection::ask(socket, request)));
  while (std::cout) {
    pollfd ready{.fd = connection.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, /*timeout=*/-1) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for evictd");
    }
    const Result<std::vector<std::string>> lines = connection.take();
    if (!lines) {
      return fail(Errc::kNotFound, "evictd closed the stream");
    }
    EVICTD_TRY(print_followed(*lines, printer));
  }
  return {};
}

void print_all(const JournalLines& lines, LinePrinter& printer) {
  for (const Json& line : lines) {
    printer.print(line);
  }
}

Result<JournalLines> from_file(const std::string& file, WallTime since) {
  EVICTD_ASSIGN_OR_RETURN(exporting::RecordLines read, exporting::read_record_file(file));
  const std::vector<std::string> skipped = skip_unreadable(read.lines);
  for (const auto* warnings : {&skipped, &std::as_const(read.warnings)}) {
    for (const std::string& warning : *warnings) {
      warn(warning);
    }
  }
  return lines_since(read.lines, since);
}

/// Lines that the daemon has forgotten are in its file, which it may not have written yet.
JournalLines from_file_of_daemon(const Json& answer, WallTime since) {
  if (!answer.contains("file") || !answer["file"].is_string()) {
    return {};
  }
  Result<JournalLines> lines = from_file(answer["file"].get<std::string>(), since);
  if (lines) {
    return std::move(*lines);
  }
  if (lines.error().code != Errc::kNotFound) {
    warn(lines.error().message() + ", continuing without the file");
  }
  return {};
}

Result<JournalLines> from_daemon(const std::string& answer, WallTime since) {
  if (const std::string refusal = refusal_in(answer); !refusal.empty()) {
    return fail(Errc::kInvalid, refusal);
  }
  const Json parsed = base::parse_json<Json>(answer).value_or(Json());
  if (!parsed.is_object() || !parsed.contains("events") || !parsed["events"].is_array()) {
    return fail(Errc::kMalformed, "evictd's answer to \"events\": " + answer.substr(0, 200));
  }
  return merge_lines(from_file_of_daemon(parsed, since), parsed["events"].get<JournalLines>());
}

/// The events from all available sources.
Result<JournalLines> past_lines(const EventsOptions& options, WallTime since) {
  if (!options.source.file.empty()) {
    return from_file(options.source.file, since);
  }
  const Json request = {{"op", "events"}, {"since", exporting::rfc3339(since)}};
  const Result<std::string> answer = base::request_line(options.source.socket, request.dump());
  if (answer) {
    return from_daemon(*answer, since);
  }
  std::error_code ignored;
  if (std::filesystem::exists(kDefaultRecordFile, ignored)) {
    return from_file(kDefaultRecordFile, since);
  }
  return fail_in("is evictd running? If not, --file reads its record file", answer.error());
}

std::string since_of(const EventsOptions& options) {
  const char* const unless_told = options.follow ? kFollowedSince : kDefaultSince;
  return options.since.empty() ? unless_told : options.since;
}

Result<> show(const EventsOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(
      const WallTime since,
      EVICTD_IN("--since", moment_of(since_of(options), base::SystemClock().wall_now())));
  LinePrinter printer(options.json, since);
  if (options.follow) {
    Json request = {{"op", "follow"}};
    if (options.after) {
      request["after"] = *options.after;
    } else if (!options.since.empty()) {
      request["since"] = exporting::rfc3339(since);
    }
    return follow(options.source.socket, request.dump(), printer);
  }
  EVICTD_ASSIGN_OR_RETURN(const JournalLines lines, past_lines(options, since));
  print_all(lines, printer);
  return {};
}

int events(const EventsOptions& options) {
  if (const Result<> shown = show(options); !shown) {
    std::cout.flush();
    complain(shown.error().message());
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace

void add_events(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<EventsOptions>();
  CLI::App* command = app.add_subcommand(
      "events",
      "Shows what happened: evictions and their progress, conditions, thresholds met, kills by the "
      "kernel's OOM killer, stalls and degraded states, from the running evictd and its record "
      "file or, without one, from the default record file.");
  CLI::Option* follow = command->add_flag("--follow,-f", options->follow,
                                          "keep printing new events; asks the daemon");
  CLI::Option* since = command->add_option(
      "--since", options->since,
      "start at this time: 2026-01-31T12:00:00Z, or 5m for 5 minutes ago (default 1h, with "
      "--follow now)");
  since->check(moment_problem);
  command
      ->add_option("--after", options->after,
                   "with --follow: start after the line with this \"seq\", which --json shows")
      ->needs(follow)
      ->excludes(since);
  command->add_flag("--json", options->json, "print one JSON object per line (docs/records.md)");
  command
      ->add_option("--file", options->source.file,
                   "read this record file instead of asking the daemon")
      ->excludes(follow);
  command->add_option("--socket", options->source.socket, "evictd's control socket")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = events(*options); });
}

}  // namespace evictd::cli
