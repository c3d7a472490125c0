// SPDX-License-Identifier: Apache-2.0
#include "cli/record_source.h"

#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "base/json_text.h"
#include "base/unix_socket.h"
#include "cli/refusal.h"
#include "core/go_duration.h"
#include "core/rfc3339.h"
#include "evictd/try.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<exporting::RecordLines> lines_of_daemon(const std::string& answer) {
  if (const std::string refusal = refusal_in(answer); !refusal.empty()) {
    return fail(Errc::kInvalid, refusal);
  }
  const Json parsed = base::parse_json<Json>(answer).value_or(Json());
  if (!parsed.is_object() || !parsed.contains("records") || !parsed["records"].is_array()) {
    return fail(Errc::kMalformed, "the daemon's answer to \"records\": " + answer.substr(0, 200));
  }
  exporting::RecordLines lines;
  if (parsed.contains("file") && parsed["file"].is_string()) {
    // Decisions that memory has forgotten. The daemon may not have written anything yet.
    Result<exporting::RecordLines> kept =
        exporting::read_record_file(parsed["file"].get<std::string>());
    if (kept) {
      lines = std::move(*kept);
    } else if (kept.error().code != Errc::kNotFound) {
      lines.warnings.push_back(kept.error().message() + ", continuing without the file");
    }
  }
  for (const Json& record : parsed["records"]) {
    lines.lines.push_back({.json = record, .place = ""});
  }
  return lines;
}

Result<exporting::RecordLines> load_lines(const RecordSource& source) {
  if (!source.file.empty()) {
    return exporting::read_record_file(source.file);
  }
  const Result<std::string> answer =
      base::request_line(source.socket, Json{{"op", "records"}}.dump());
  if (answer) {
    return lines_of_daemon(*answer);
  }
  std::error_code ignored;
  if (std::filesystem::exists(kDefaultRecordFile, ignored)) {
    return exporting::read_record_file(kDefaultRecordFile);
  }
  return fail(Errc::kNotFound,
              answer.error().message() + ", and there is no record file " + kDefaultRecordFile +
                  ": name the daemon's socket with --socket " + "or its recordFile with --file");
}

/// The name of an unreadable decision in a warning.
std::string called(const Json& line) {
  constexpr std::size_t kMost = 40;
  constexpr bool kAscii = true;
  return line.contains("id")
             ? "decision " +
                   line["id"].dump(-1, ' ', kAscii, Json::error_handler_t::replace).substr(0, kMost)
             : "a decision without an id";
}

bool is_decision(const Json& line) {
  return line.is_object() && line.contains("kind") && line["kind"] == "decision";
}

std::string skipped(const exporting::RecordLine& line, const Error& why) {
  return (line.place.empty() ? "" : line.place + ": ") + called(line.json) +
         " is skipped: " + why.message();
}

}  // namespace

Records decisions_of(const std::vector<exporting::RecordLine>& lines) {
  Records records;
  std::map<std::uint64_t, exporting::EvictionRecord> by_id;
  for (const exporting::RecordLine& line : lines) {
    if (!is_decision(line.json)) {
      continue;
    }
    Result<exporting::EvictionRecord> record = exporting::record_from_json(line.json);
    if (record) {
      by_id[record->id] = std::move(*record);
    } else {
      records.warnings.push_back(skipped(line, record.error()));
    }
  }
  for (auto& [id, record] : by_id) {
    records.decisions.push_back(std::move(record));
  }
  return records;
}

std::vector<std::string> skip_unreadable(std::vector<exporting::RecordLine>& lines) {
  std::vector<std::string> warnings;
  std::erase_if(lines, [&](const exporting::RecordLine& line) {
    if (!is_decision(line.json)) {
      return false;
    }
    const Result<exporting::EvictionRecord> record = exporting::record_from_json(line.json);
    if (!record) {
      warnings.push_back(skipped(line, record.error()));
    }
    return !record;
  });
  return warnings;
}

Result<Records> load_records(const RecordSource& source) {
  EVICTD_ASSIGN_OR_RETURN(exporting::RecordLines lines, load_lines(source));
  Records records = decisions_of(lines.lines);
  std::move(lines.warnings.begin(), lines.warnings.end(), std::back_inserter(records.warnings));
  return records;
}

Result<WallTime> moment_of(const std::string& text, WallTime now) {
  if (const Result<WallTime> moment = core::wall_time_from_rfc3339(text)) {
    return *moment;
  }
  const Result<Duration> ago = core::parse_go_duration(text);
  if (ago && *ago >= Duration::zero()) {
    return now - *ago;
  }
  return fail(Errc::kMalformed, "\"" + text + (ago ? "\" is negative" : "\" is not a time") +
                                    "; allowed: 2026-01-31T12:00:00Z, or an age such as 5m");
}

std::string moment_problem(const std::string& text) {
  const Result<WallTime> moment = moment_of(text, WallTime{});
  return moment ? std::string() : moment.error().message();
}

}  // namespace evictd::cli
