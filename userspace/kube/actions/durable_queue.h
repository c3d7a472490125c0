// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/actions/queue_file.h"
#include "kube/actions/queue_state.h"

namespace evictd::kube {

/// The queue of pending API requests, stored in a file. A change counts once it is written. Every
/// call blocks for as long as the disk takes.
class DurableQueue {
 public:
  /// Further entries wait in evictd's journal.
  static constexpr std::size_t kMostEntries = 4096;

  /// Starts a new queue at `now` if the directory has none. Sets an unreadable queue aside.
  /// Errors: those of QueueFile.
  [[nodiscard]] static Result<DurableQueue> open(const std::string& directory, WallTime now);

  [[nodiscard]] const QueueState& state() const { return state_; }
  [[nodiscard]] bool is_full() const { return state_.entries().size() >= kMostEntries; }
  /// Why an earlier queue was set aside; empty if none was.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  /// The last journal line that evictd need not send again.
  [[nodiscard]] std::optional<std::uint64_t> seen() const { return seen_; }

  /// Errors: those of QueueFile::append(); the line is then not taken.
  [[nodiscard]] Result<> take(const TakenLine& line);
  /// Records that the journal has no line between its last one and this number.
  [[nodiscard]] Result<> move_to(std::uint64_t seq);
  /// Records that `done` steps of the entry with this number are finished.
  [[nodiscard]] Result<> record_done(std::uint64_t number, std::size_t done);
  /// Flushes taken lines to the disk. Costs nothing if no line was taken.
  [[nodiscard]] Result<> sync();

 private:
  explicit DurableQueue(QueueFile file) : file_(std::move(file)) {}
  [[nodiscard]] Result<> begin(WallTime now);
  [[nodiscard]] Result<> write(const std::string& text);
  [[nodiscard]] Result<> shorten();
  [[nodiscard]] Result<> shorten_if_long();

  QueueFile file_;
  QueueState state_;
  std::optional<std::uint64_t> seen_;
  std::string damage_;
  /// The file's length after it was last compacted.
  std::size_t shortest_ = 0;
  bool had_entries_ = false;
  bool is_synced_ = true;
};

}  // namespace evictd::kube
