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

/// The queue of what is to be done, kept in a file: a change counts once it is written. Everything
/// blocks, for as long as a disk takes.
class DurableQueue {
 public:
  /// More wait in evictd's journal.
  static constexpr std::size_t kMostEntries = 4096;

  /// A directory without a queue begins one at `now`. One that cannot be read is set aside.
  /// Errors: those of QueueFile.
  [[nodiscard]] static Result<DurableQueue> open(const std::string& directory, WallTime now);

  [[nodiscard]] const QueueState& state() const { return state_; }
  [[nodiscard]] bool is_full() const { return state_.entries().size() >= kMostEntries; }
  /// Why an earlier queue was set aside; empty if none was.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  /// The last line of the journal that need not be told again.
  [[nodiscard]] std::optional<std::uint64_t> seen() const { return seen_; }

  /// Errors: those of QueueFile::append(); then it was not taken.
  [[nodiscard]] Result<> take(const TakenLine& line);
  /// The journal has nothing between its last line and this number.
  [[nodiscard]] Result<> move_to(std::uint64_t seq);
  /// Of the entry with this number so many steps are done.
  [[nodiscard]] Result<> note_done(std::uint64_t number, std::size_t done);
  /// What was taken is on the disk then. Cost where nothing was: none.
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
  /// As it was when it was last as short as can be.
  std::size_t shortest_ = 0;
  bool had_entries_ = false;
  bool is_synced_ = true;
};

}  // namespace evictd::kube
