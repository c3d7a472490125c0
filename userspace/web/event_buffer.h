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

/// The last lines of evictd's journal, for any number of readers that come and go. Thread-safe.
class EventBuffer {
 public:
  struct Event {
    std::uint64_t seq = 0;  ///< Evictd's number of the line; ascends, with gaps.
    std::string line;       ///< One JSON object without a line end.
  };
  struct Events {
    std::vector<Event> events;  ///< Oldest first.
    /// Lines between what was asked for and the first of these are not kept any more.
    bool skipped = false;
  };

  /// Keeps at most so many lines and bytes, but at least the newest line.
  EventBuffer(std::size_t most_lines, std::size_t most_bytes)
      : most_lines_(most_lines), most_bytes_(most_bytes) {}

  /// A line whose number is not above the newest one is not added: it is known.
  void add(std::uint64_t seq, std::string line);
  /// Wakes every reader; wait_beyond() does not wait any more.
  void close();

  /// The number of the newest line; 0 before the first.
  [[nodiscard]] std::uint64_t newest() const;
  /// The kept lines behind the one numbered `seq`; with 0 all of them.
  [[nodiscard]] Events beyond(std::uint64_t seq) const;
  /// The same, once there is one; none after `patience` or close().
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
  std::uint64_t forgotten_ = 0;  ///< The newest line that is not kept any more.
  bool closed_ = false;
};

}  // namespace evictd::web
