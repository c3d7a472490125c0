// SPDX-License-Identifier: Apache-2.0
#include "export/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/json_text.h"
#include "base/read_up_to.h"
#include "base/regular_file.h"
#include "evictd/try.h"
#include "export/eviction_record.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

/// More rotated files than a configuration may request.
constexpr int kMostFiles = 1000;

/// Bytes per read.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10U;

/// The first bytes of a recording, and of any zstd frame; docs/replay.md.
constexpr std::string_view kRecordingMagic("\x28\xb5\x2f\xfd", 4);

/// nullopt for a line that is skipped.
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

/// Returns an error if a file that begins like this is a recording.
Result<> refuse_recording(std::string_view begin, std::string_view name) {
  if (!begin.starts_with(kRecordingMagic)) {
    return {};
  }
  return fail(Errc::kInvalid, fmt::format("{}: a recording for evictctl replay, not a record file; "
                                          "allowed: a recordFile of evictd",
                                          name));
}

/// The lines of one file, one after another.
class LineTaker {
 public:
  explicit LineTaker(std::string_view name) : name_(name) {}

  [[nodiscard]] Result<> take(std::string_view line) {
    ++number_;
    if (line.size() > kLongestRecordLine) {
      note(too_long_);
      return {};
    }
    EVICTD_ASSIGN_OR_RETURN(Json json, read_line(line, name_, number_));
    if (json.is_null()) {
      note(no_record_);
    } else {
      read_.lines.push_back(
          {.json = std::move(json), .place = fmt::format("{}:{}", name_, number_)});
    }
    return {};
  }
  /// A line that was too long to keep.
  void take_too_long() {
    ++number_;
    note(too_long_);
  }
  [[nodiscard]] RecordLines end() {
    warn(no_record_, "not a record line of evictd");
    warn(too_long_, fmt::format("longer than {} MiB", kLongestRecordLine >> 20U));
    return std::move(read_);
  }

 private:
  struct Skipped {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  void note(Skipped& skipped) const {
    skipped.first = skipped.count++ == 0 ? number_ : skipped.first;
  }
  void warn(const Skipped& skipped, std::string_view what) {
    if (skipped.count != 0) {
      read_.warnings.push_back(
          fmt::format("{}:{}: {}, skipped{}", name_, skipped.first, what,
                      skipped.count == 1 ? "" : fmt::format(", and {} more", skipped.count - 1)));
    }
  }

  std::string_view name_;
  RecordLines read_;
  std::size_t number_ = 0;
  Skipped no_record_;
  Skipped too_long_;
};

/// Splits blocks into lines. Keeps just enough of an overlong line to detect its length.
class LineCutter {
 public:
  explicit LineCutter(LineTaker& taker) : taker_(taker) {}

  [[nodiscard]] Result<> add(std::string_view block) {
    while (!block.empty()) {
      const std::size_t end = block.find('\n');
      append(block.substr(0, end));
      if (end == std::string_view::npos) {
        break;
      }
      EVICTD_TRY(finish());
      block.remove_prefix(end + 1);
    }
    return {};
  }
  /// Handles a last line without a line end.
  [[nodiscard]] Result<> end() { return line_.empty() && !too_long_ ? Result<>() : finish(); }

 private:
  void append(std::string_view piece) {
    too_long_ = too_long_ || line_.size() + piece.size() > kLongestRecordLine;
    if (!too_long_) {
      line_.append(piece);
    }
  }
  [[nodiscard]] Result<> finish() {
    Result<> taken;
    if (too_long_) {
      taker_.take_too_long();
    } else {
      taken = taker_.take(line_);
    }
    line_.clear();
    too_long_ = false;
    return taken;
  }

  LineTaker& taker_;
  std::string line_;
  bool too_long_ = false;
};

Result<RecordLines> read_one(const std::filesystem::path& file) {
  EVICTD_ASSIGN_OR_RETURN(const base::Fd in, base::open_regular_file(file));
  const std::string name = file.string();
  LineTaker taker(name);
  LineCutter cutter(taker);
  Result<> taken;
  bool at_end = false;
  for (bool first = true; taken && !at_end; first = false) {
    EVICTD_ASSIGN_OR_RETURN(const std::string block, base::read_up_to(in.get(), kBlockBytes, name));
    taken = first ? refuse_recording(block, name) : taken;
    taken = taken ? cutter.add(block) : taken;
    at_end = block.size() < kBlockBytes;
  }
  taken = taken ? cutter.end() : taken;
  return taken ? Result<RecordLines>(taker.end()) : Failure(taken.error());
}

}  // namespace

Result<RecordLines> read_record_text(std::string_view text, std::string_view name) {
  EVICTD_TRY(refuse_recording(text, name));
  LineTaker taker(name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    EVICTD_TRY(taker.take(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return taker.end();
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
  // The file itself first: its errors apply to the rotated ones too.
  std::vector<RecordLines> parts;
  for (const std::filesystem::path& one : files) {
    Result<RecordLines> read = read_one(one);
    if (!read && read.error().code == Errc::kNotFound && files.size() > 1) {
      continue;  // It was renamed, and its successor is not made yet.
    }
    if (!read) {
      return Failure(read.error());
    }
    parts.push_back(std::move(*read));
  }
  RecordLines all;
  std::for_each(parts.rbegin(), parts.rend(), [&](RecordLines& part) {
    std::move(part.lines.begin(), part.lines.end(), std::back_inserter(all.lines));
    std::move(part.warnings.begin(), part.warnings.end(), std::back_inserter(all.warnings));
  });
  return all;
}

}  // namespace evictd::exporting
