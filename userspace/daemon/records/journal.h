// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "core/clock.h"
#include "daemon/records/record_worker.h"
#include "export/eviction_record.h"

namespace evictd::exporting {
struct RecordLine;
}

namespace evictd::daemon {

/// evictd's log of decisions and events, one JSON object a line, in the order in which they
/// happened. Keeps the newest lines in memory; at start, those that an earlier evictd wrote to the
/// record file. Writes lines to the record file, if there is one, and sends each to listeners. Each
/// line ends in a member "seq", a number above those of all earlier lines, of earlier runs too. It
/// starts at the wall clock's milliseconds, or after the file's last one if that is larger. Thread
/// rule: housekeeping only.
class Journal {
 public:
  struct Options {
    config::RecordSettings records;
    /// The node name in each event.
    std::string node;
    /// Borrowed.
    const core::Clock* clock = nullptr;
    /// Called with each line as it is added; may be empty.
    std::function<void(std::string_view)> publish;
  };

  /// Errors: those of RecordWorker::start(), and of reading the ids in an existing file.
  [[nodiscard]] static Result<Journal> create(Options options);

  /// Adds an event: the schema, the node, the time and the moment, then `kind` and `members`. Time
  /// and moment are those of `at`. They are the current ones if `at` is absent, unknown (the epoch)
  /// or in the future.
  void add(std::string_view kind, const nlohmann::ordered_json& members, MonoTime at = {});
  /// Adds a complete line, such as a record.
  void add_whole(const nlohmann::ordered_json& line, exporting::Durability durability);

  /// The newest lines, from `since` on, oldest first and without line ends.
  [[nodiscard]] std::vector<std::string> lines_since(WallTime since) const;
  /// The newest lines after the one with this "seq", as lines_since().
  struct LinesAfter {
    std::vector<std::string> lines;
    /// False: later lines are no longer in memory, or no line of this evictd has that "seq".
    bool complete = true;
    /// "seq" of the first line returned, or of the next line to be added.
    std::uint64_t first = 0;
  };
  [[nodiscard]] LinesAfter lines_after(std::uint64_t seq) const;
  /// The largest decision id in the file when it was opened; 0 for none.
  [[nodiscard]] std::uint64_t last_id() const { return last_id_; }
  /// The last eviction of each pod in the file when it was opened, by uid. The list ends with its
  /// newest record, after those whose grace period it cut, oldest first. Never an empty list.
  [[nodiscard]] const std::map<std::string, std::vector<exporting::EvictionRecord>>&
  last_evictions() const {
    return last_evictions_;
  }
  /// Frees them once they are no longer needed.
  void forget_last_evictions() { last_evictions_.clear(); }
  /// nullptr without a file.
  [[nodiscard]] const RecordWorker* worker() const { return worker_.get(); }
  [[nodiscard]] const std::string& file() const { return options_.records.file; }
  [[nodiscard]] const std::string& node() const { return options_.node; }
  /// Checks whether the file takes every line. Reports once that it does not, also if a write or a
  /// full queue failed and the next one did not. Reports once that no line was lost since the last
  /// check, with the number of missing lines. Returns the text to log; empty if nothing changed.
  [[nodiscard]] std::string check(MonoTime now);
  /// As of the last check.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Line {
    WallTime at{};
    std::string text;
    /// 0 for a line of an evictd that did not number lines.
    std::uint64_t seq = 0;
  };

  explicit Journal(Options options) : options_(std::move(options)) {}
  void keep(std::string text, std::uint64_t seq);
  [[nodiscard]] std::string trouble_now(MonoTime now);
  void read_file();
  void keep_newest_of(const std::vector<exporting::RecordLine>& lines);
  void find_last_evictions(const std::map<std::uint64_t, exporting::EvictionRecord>& by_id);

  /// Bounds on the newest lines kept: their number, and their bytes.
  static constexpr std::size_t kKeptLines = 2048;
  static constexpr std::size_t kKeptBytes = std::size_t{4} << 20U;

  Options options_;
  std::unique_ptr<RecordWorker> worker_;
  std::deque<Line> kept_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t next_seq_ = 0;
  /// Lines up to this one may no longer be in memory.
  std::uint64_t forgotten_seq_ = 0;
  std::map<std::string, std::vector<exporting::EvictionRecord>> last_evictions_;
  std::string trouble_;
  /// Lines lost as of the last check, and when the trouble began.
  std::uint64_t lost_seen_ = 0;
  std::uint64_t lost_at_start_ = 0;
};

}  // namespace evictd::daemon
