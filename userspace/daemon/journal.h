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
#include "daemon/record_worker.h"
#include "export/eviction_record.h"

namespace evictd::exporting {
struct RecordLine;
}

namespace evictd::daemon {

/// Everything that evictd tells of what happened, one JSON object a line: decisions and events, in
/// the order in which they happened. Keeps the newest lines in memory, at its start those
/// that the record file has of an earlier evictd, has them written to the
/// record file if there is one, and passes each to whoever listens. Each line ends in a member
/// "seq", a number above those of all lines before it, of earlier runs too: it starts at the wall
/// clock's milliseconds, or behind the file's last one where that is more.
/// Thread rule: housekeeping only.
class Journal {
 public:
  struct Options {
    config::RecordSettings records;
    /// Named in each event.
    std::string node;
    /// Borrowed.
    const core::Clock* clock = nullptr;
    /// Called with each line as it is added; may be empty.
    std::function<void(std::string_view)> publish;
  };

  /// Errors: those of RecordWorker::start(), and of reading the ids in a file that is there.
  [[nodiscard]] static Result<Journal> create(Options options);

  /// Adds an event: `kind` and `members` behind the schema, the node, the time and the moment,
  /// which are those of `at`; of now where that is not told, not known (the epoch) or to come.
  void add(std::string_view kind, const nlohmann::ordered_json& members, MonoTime at = {});
  /// Adds a line that is complete, such as a record.
  void add_whole(const nlohmann::ordered_json& line, exporting::Durability durability);

  /// The newest lines, those from `since` on, oldest first and without line ends.
  [[nodiscard]] std::vector<std::string> lines_since(WallTime since) const;
  /// The newest lines, those behind the one with this "seq", as lines_since().
  struct LinesAfter {
    std::vector<std::string> lines;
    /// False: some behind it are not in memory any more, or nobody here wrote it.
    bool complete = true;
    /// Of the first line that is there, or of the next one to come.
    std::uint64_t first = 0;
  };
  [[nodiscard]] LinesAfter lines_after(std::uint64_t seq) const;
  /// The largest id of a decision that the file had when it was opened; 0 for none.
  [[nodiscard]] std::uint64_t last_id() const { return last_id_; }
  /// The last eviction of each pod that the file had when it was opened, by uid: its newest record,
  /// behind those whose grace it cut, oldest first. Never an empty list.
  [[nodiscard]] const std::map<std::string, std::vector<exporting::EvictionRecord>>&
  last_evictions() const {
    return last_evictions_;
  }
  /// Once nobody asks for them any more.
  void forget_last_evictions() { last_evictions_.clear(); }
  /// nullptr without a file.
  [[nodiscard]] const RecordWorker* worker() const { return worker_.get(); }
  [[nodiscard]] const std::string& file() const { return options_.records.file; }
  [[nodiscard]] const std::string& node() const { return options_.node; }
  /// Tells once that the file does not take every line, also where a write or a full queue failed
  /// and the next did not, and once that none was lost since the last check, with how many are
  /// missing. Returns what is to be logged; empty while nothing has changed.
  [[nodiscard]] std::string check(MonoTime now);
  /// As of the last check.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Line {
    WallTime at{};
    std::string text;
    /// 0 of a line of an evictd that numbered none.
    std::uint64_t seq = 0;
  };

  explicit Journal(Options options) : options_(std::move(options)) {}
  void keep(std::string text, std::uint64_t seq);
  [[nodiscard]] std::string trouble_now(MonoTime now);
  void read_file();
  void keep_newest_of(const std::vector<exporting::RecordLine>& lines);
  void find_last_evictions(const std::map<std::uint64_t, exporting::EvictionRecord>& by_id);

  /// The newest lines that are kept, at most so many and so many bytes.
  static constexpr std::size_t kKeptLines = 2048;
  static constexpr std::size_t kKeptBytes = std::size_t{4} << 20U;

  Options options_;
  std::unique_ptr<RecordWorker> worker_;
  std::deque<Line> kept_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t next_seq_ = 0;
  /// Lines up to this one are not all in memory.
  std::uint64_t forgotten_seq_ = 0;
  std::map<std::string, std::vector<exporting::EvictionRecord>> last_evictions_;
  std::string trouble_;
  /// Lines that had been lost by the last check, and when the trouble began.
  std::uint64_t lost_seen_ = 0;
  std::uint64_t lost_at_start_ = 0;
};

}  // namespace evictd::daemon
