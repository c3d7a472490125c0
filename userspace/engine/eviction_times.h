// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evictd/time.h"

namespace evictd::engine {

/// Times of the last evictions, real and dry-run: the input of maxEvictionsPerMinute.
/// Fixed size, no allocation.
class EvictionTimes {
 public:
  /// The largest allowed maxEvictionsPerMinute.
  static constexpr std::size_t kKept = 120;

  void add(MonoTime at, bool dry_run);
  /// Forgets dry-run evictions.
  void forget_dry_runs();
  /// Oldest first.
  [[nodiscard]] std::span<const MonoTime> all() const { return std::span(at_).first(size_); }
  /// Times of real evictions within `window`.
  [[nodiscard]] std::vector<MonoTime> real_within(Duration window, MonoTime now) const;
  [[nodiscard]] std::size_t within(Duration window, MonoTime now) const;
  /// How often they were changed; a copy with the same number is equal.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  std::array<MonoTime, kKept> at_{};
  std::array<bool, kKept> dry_run_{};
  std::size_t size_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace evictd::engine
