// SPDX-License-Identifier: Apache-2.0
#include "cli/journal_lines.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/rfc3339.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Finds lines of a file again. Cost: memory for one number per line, however long the lines are.
class LineIndex {
 public:
  /// `lines` is borrowed.
  explicit LineIndex(const JournalLines& lines) : lines_(lines) {
    for (std::size_t place = 0; place < lines.size(); ++place) {
      places_[hash_of(lines[place])].push_back(place);
    }
  }

  /// The first index from `from` on that has `line`.
  [[nodiscard]] std::optional<std::size_t> find(const Json& line, std::size_t from) const {
    const auto found = places_.find(hash_of(line));
    if (found == places_.end()) {
      return std::nullopt;
    }
    const std::vector<std::size_t>& places = found->second;
    for (auto place = std::lower_bound(places.begin(), places.end(), from); place != places.end();
         ++place) {
      if (lines_[*place] == line) {
        return *place;
      }
    }
    return std::nullopt;
  }

 private:
  static std::size_t hash_of(const Json& line) { return std::hash<Json>{}(line); }

  const JournalLines& lines_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> places_;
};

}  // namespace

JournalLines lines_since(const std::vector<exporting::RecordLine>& lines, WallTime since) {
  JournalLines kept;
  for (const auto& [line, place] : lines) {
    const auto time = line.find("time");
    const Result<WallTime> at = time != line.end() && time->is_string()
                                    ? core::wall_time_from_rfc3339(time->get<std::string>())
                                    : Result<WallTime>(WallTime::max());
    if (at && *at >= since) {
      kept.push_back(line);
    }
  }
  return kept;
}

JournalLines merge_lines(JournalLines file, JournalLines memory) {
  // The index in the file of each line in memory, computed for all before any line moves.
  std::vector<std::optional<std::size_t>> places;
  {
    const LineIndex index(file);
    std::size_t from = 0;
    for (const Json& line : memory) {
      places.push_back(index.find(line, from));
      from = places.back() ? *places.back() + 1 : from;
    }
  }
  JournalLines merged;
  JournalLines missing;
  std::size_t next = 0;
  const auto take_file_to = [&](std::size_t end) {
    for (; next < end; ++next) {
      merged.push_back(std::move(file[next]));
    }
  };
  const auto take_missing = [&] {
    std::move(missing.begin(), missing.end(), std::back_inserter(merged));
    missing.clear();
  };
  for (std::size_t number = 0; number < memory.size(); ++number) {
    if (!places[number]) {
      missing.push_back(std::move(memory[number]));
      continue;
    }
    take_file_to(*places[number]);
    take_missing();
    take_file_to(*places[number] + 1);
  }
  take_file_to(file.size());
  take_missing();
  return merged;
}

}  // namespace evictd::cli
