// SPDX-License-Identifier: Apache-2.0
#include "cli/record_source.h"

#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "base/json_text.h"
#include "base/unix_socket.h"
#include "core/go_duration.h"
#include "core/rfc3339.h"
#include "export/record_reader.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<exporting::RecordLines> lines_of_daemon(const std::string& answer) {
  const Json parsed = base::parse_json<Json>(answer).value_or(Json());
  if (!parsed.is_object() || !parsed.contains("records") || !parsed["records"].is_array()) {
    return fail(Errc::kMalformed, "the daemon's answer to \"records\": " + answer.substr(0, 200));
  }
  exporting::RecordLines lines;
  if (parsed.contains("file") && parsed["file"].is_string()) {
    // What memory has forgotten. The daemon may not have written anything yet.
    Result<exporting::RecordLines> kept =
        exporting::read_record_file(parsed["file"].get<std::string>());
    if (kept) {
      lines = std::move(*kept);
    } else if (kept.error().code != Errc::kNotFound) {
      lines.warnings.push_back(kept.error().message() + ", continuing without the file");
    }
  }
  for (const Json& record : parsed["records"]) {
    lines.lines.push_back(record);
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

}  // namespace

Records decisions_of(const std::vector<Json>& lines) {
  Records records;
  std::map<std::uint64_t, exporting::EvictionRecord> by_id;
  for (const Json& line : lines) {
    if (!line.is_object() || !line.contains("kind") || line["kind"] != "decision") {
      continue;
    }
    Result<exporting::EvictionRecord> record = exporting::record_from_json(line);
    if (record) {
      by_id[record->id] = std::move(*record);
    } else {
      records.warnings.push_back("a decision is skipped: " + record.error().message());
    }
  }
  for (auto& [id, record] : by_id) {
    records.decisions.push_back(std::move(record));
  }
  return records;
}

Result<Records> load_records(const RecordSource& source) {
  Result<exporting::RecordLines> lines = load_lines(source);
  if (!lines) {
    return Failure(lines.error());
  }
  Records records = decisions_of(lines->lines);
  std::move(lines->warnings.begin(), lines->warnings.end(), std::back_inserter(records.warnings));
  return records;
}

Result<WallTime> moment_of(const std::string& text, WallTime now) {
  if (const Result<WallTime> moment = core::wall_time_from_rfc3339(text)) {
    return *moment;
  }
  if (const Result<Duration> ago = core::parse_go_duration(text)) {
    // The most negative duration has no positive counterpart.
    return now + (*ago > Duration::zero() ? -*ago : *ago);
  }
  return fail(Errc::kMalformed, "\"" + text +
                                    "\" is no time; allowed: 2026-01-31T12:00:00Z, or a duration "
                                    "like 5m for so long ago");
}

std::string moment_problem(const std::string& text) {
  const Result<WallTime> moment = moment_of(text, WallTime{});
  return moment ? std::string() : moment.error().message();
}

}  // namespace evictd::cli
