// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/system_clock.h"
#include "base/unix_socket.h"
#include "cli/command.h"
#include "cli/event_text.h"
#include "cli/record_source.h"
#include "cli/terminal.h"
#include "core/rfc3339.h"
#include "export/json_time.h"
#include "export/record_reader.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EventsOptions {
  RecordSource source;
  std::string since;
  bool follow = false;
  bool json = false;
};

/// What --since is unless it is told otherwise; with --follow it is from now on.
constexpr const char* kDefaultSince = "1h";

void print_line(const Json& line, bool json) {
  if (json) {
    std::cout << json_line(line) << '\n';
  } else if (!repeats(line)) {
    std::cout << event_text(line) << '\n';
  }
}

/// Takes whole lines off the front of `unread`.
void take_lines(std::string& unread, bool json) {
  std::size_t begin = 0;
  for (std::size_t end = unread.find('\n'); end != std::string::npos;
       end = unread.find('\n', begin)) {
    const Json line = base::parse_json<Json>(std::string_view(unread).substr(begin, end - begin))
                          .value_or(Json());
    if (line.is_object()) {
      print_line(line, json);
    }
    begin = end + 1;
  }
  unread.erase(0, begin);
  std::cout.flush();
}

/// Shows lines as they come, until the daemon ends or the reader of ours does.
Result<> follow(const EventsOptions& options, const std::string& request) {
  const Result<base::Fd> connection = base::connect_unix(options.source.socket);
  if (!connection) {
    return fail_in("is evictd running?", connection.error());
  }
  // Far less than any socket buffer: it is taken whole.
  if (::send(connection->get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return fail_errno(errno, "ask evictd");
  }
  std::string unread;
  while (std::cout) {
    pollfd ready{.fd = connection->get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, /*timeout=*/-1) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for evictd");
    }
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(connection->get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      continue;
    }
    if (got <= 0) {
      return fail(Errc::kNotFound, "evictd has ended the stream");
    }
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    take_lines(unread, options.json);
  }
  return {};
}

Result<> show_past(const std::string& answer, bool json) {
  const Json parsed = base::parse_json<Json>(answer).value_or(Json());
  if (!parsed.is_object() || !parsed.contains("events") || !parsed["events"].is_array()) {
    return fail(Errc::kMalformed, "evictd's answer to \"events\": " + answer.substr(0, 200));
  }
  for (const Json& line : parsed["events"]) {
    print_line(line, json);
  }
  return {};
}

Result<> from_file(const std::string& file, const EventsOptions& options, WallTime since) {
  const Result<exporting::RecordLines> read = exporting::read_record_file(file);
  if (!read) {
    return Failure(read.error());
  }
  for (const std::string& warning : read->warnings) {
    warn(warning);
  }
  for (const Json& line : read->lines) {
    const auto time = line.find("time");
    const Result<WallTime> at = time != line.end() && time->is_string()
                                    ? core::wall_time_from_rfc3339(time->get<std::string>())
                                    : Result<WallTime>(WallTime::max());
    if (at && *at >= since) {
      print_line(line, options.json);
    }
  }
  return {};
}

Result<> show(const EventsOptions& options) {
  const std::string text = options.since.empty() ? kDefaultSince : options.since;
  const Result<WallTime> since = moment_of(text, base::SystemClock().wall_now());
  if (!since) {
    return fail_in("--since", since.error());
  }
  Json request = {{"op", options.follow ? "follow" : "events"}};
  if (options.follow) {
    if (!options.since.empty()) {
      request["since"] = exporting::rfc3339(*since);
    }
    return follow(options, request.dump() + "\n");
  }
  if (!options.source.file.empty()) {
    return from_file(options.source.file, options, *since);
  }
  request["since"] = exporting::rfc3339(*since);
  const Result<std::string> answer = base::request_line(options.source.socket, request.dump());
  if (answer) {
    return show_past(*answer, options.json);
  }
  std::error_code ignored;
  if (std::filesystem::exists(kDefaultRecordFile, ignored)) {
    return from_file(kDefaultRecordFile, options, *since);
  }
  return fail_in("is evictd running? --file reads the record file of one that does not",
                 answer.error());
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
      "kernel's OOM killer, stalls and degraded states, from the running evictd or, without one, "
      "from its record file.");
  CLI::Option* follow = command->add_flag("--follow,-f", options->follow,
                                          "go on with what happens from now on; asks the daemon");
  command
      ->add_option("--since", options->since,
                   "from this time on: 2026-01-31T12:00:00Z, or 5m for so long ago (default 1h, "
                   "and with --follow from now on)")
      ->check(moment_problem);
  command->add_flag("--json", options->json, "one JSON object a line, as docs/records.md has them");
  command
      ->add_option("--file", options->source.file,
                   "read this record file instead of asking the daemon")
      ->excludes(follow);
  command->add_option("--socket", options->source.socket, "evictd's control socket")
      ->capture_default_str();
  command->callback([options, &exit_status] { exit_status = events(*options); });
}

}  // namespace evictd::cli
