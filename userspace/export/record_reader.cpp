// SPDX-License-Identifier: Apache-2.0
#include "export/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/json_text.h"
#include "export/eviction_record.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

/// More rotated files than a configuration may ask for.
constexpr int kMostFiles = 1000;

Result<std::string> read_whole(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    // A device may have no end.
    return fail(Errc::kInvalid, "read " + file.string() + ": not a regular file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return fail_errno(errno, "read " + file.string());
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// What a recording begins with, as any zstd frame; docs/replay.md.
constexpr std::string_view kRecordingMagic("\x28\xb5\x2f\xfd", 4);

/// Nothing for a line that is skipped.
Result<Json> read_line(std::string_view line, std::string_view name, std::size_t number) {
  Result<Json> json = base::parse_json<Json>(line);
  if (!json && json.error().code != Errc::kMalformed) {
    return fail(json.error().code, fmt::format("{}:{}: {}", name, number, json.error().context));
  }
  const bool has_schema = json && json->is_object() && json->contains("schema") &&
                          (*json)["schema"].is_number_unsigned();
  if (!has_schema) {
    return Json();
  }
  const Json& schema = (*json)["schema"];
  if (schema.get<std::uint64_t>() > std::uint64_t{kRecordSchema}) {
    return fail(Errc::kUnsupported,
                fmt::format("{}:{}: schema {} is newer than what this program reads ({})", name,
                            number, schema.dump(), kRecordSchema));
  }
  return json;
}

}  // namespace

Result<RecordLines> read_record_text(std::string_view text, std::string_view name) {
  if (text.starts_with(kRecordingMagic)) {
    return fail(Errc::kInvalid, fmt::format("{}: no record file but a recording, which evictctl "
                                            "replay reads; allowed: a recordFile of evictd",
                                            name));
  }
  RecordLines read;
  std::size_t skipped = 0;
  std::size_t first_skipped = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Result<Json> json = read_line(line, name, number);
    if (!json) {
      return Failure(json.error());
    }
    if (json->is_null()) {
      first_skipped = skipped++ == 0 ? number : first_skipped;
    } else {
      read.lines.push_back(std::move(*json));
    }
  }
  if (skipped != 0) {
    read.warnings.push_back(
        fmt::format("{}:{}: no record line of evictd, skipped{}", name, first_skipped,
                    skipped == 1 ? "" : fmt::format(", and {} more", skipped - 1)));
  }
  return read;
}

Result<RecordLines> read_record_file(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files{file};
  std::error_code error;
  for (int number = 1; number < kMostFiles; ++number) {
    std::filesystem::path older = file.string() + "." + std::to_string(number);
    if (!std::filesystem::exists(older, error)) {
      break;
    }
    files.push_back(std::move(older));
  }
  // The file itself first: what is wrong with it is wrong with those that it was renamed to.
  std::vector<RecordLines> parts;
  for (const std::filesystem::path& one : files) {
    const Result<std::string> text = read_whole(one);
    if (!text) {
      return Failure(text.error());
    }
    Result<RecordLines> read = read_record_text(*text, one.string());
    if (!read) {
      return Failure(read.error());
    }
    parts.push_back(std::move(*read));
  }
  RecordLines all;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    std::move(part->lines.begin(), part->lines.end(), std::back_inserter(all.lines));
    std::move(part->warnings.begin(), part->warnings.end(), std::back_inserter(all.warnings));
  }
  return all;
}

}  // namespace evictd::exporting
