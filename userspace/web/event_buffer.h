// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::web {

/// The last lines of evictd's journal, for any number of readers. Thread-safe.
class EventBuffer {
 public:
  struct Event {
    std::uint64_t seq = 0;  ///< evictd's number of the line; ascends, with gaps.
    std::string line;       ///< One JSON object without a line end.
  };
  struct Events {
    std::vector<Event> events;  ///< Oldest first.
    /// Lines between the requested number and the first of these are no longer kept.
    bool skipped = false;
  };

  /// Keeps at most this many lines and bytes, but at least the newest line.
  EventBuffer(std::size_t most_lines, std::size_t most_bytes)
      : most_lines_(most_lines), most_bytes_(most_bytes) {}

  /// Adds a line if its number is above the newest one; a lower number is a known line.
  void add(std::uint64_t seq, std::string line);
  /// Wakes every reader; wait_beyond() no longer waits.
  void close();

  /// The number of the newest line; 0 before the first.
  [[nodiscard]] std::uint64_t newest() const;
  /// The kept lines after number `seq`; 0 returns all of them.
  [[nodiscard]] Events beyond(std::uint64_t seq) const;
  /// The same, but waits until there is a line. Returns none after `patience` or close().
  [[nodiscard]] Events wait_beyond(std::uint64_t seq, Duration patience) const;
  [[nodiscard]] bool closed() const;

 private:
  [[nodiscard]] Events collect(std::uint64_t seq) const;

  const std::size_t most_lines_;
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t newest_ = 0;
  std::uint64_t forgotten_ = 0;  ///< The newest line that is no longer kept.
  bool closed_ = false;
};

}  // namespace evictd::web
