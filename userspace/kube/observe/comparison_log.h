// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "export/comparison.h"

namespace evictd::kube {

/// Pairs evictd's dry-run decisions with a kubelet's evictions, and keeps the newest results. Two
/// entries about the same pod within the window form a pair at once. When an entry's window ends
/// without a partner, it is paired with the nearest one of the other side about the same resource.
/// Otherwise it stays alone. Pure.
class ComparisonLog {
 public:
  static constexpr std::size_t kMostKept = 512;

  /// Ignores evictions by a kubelet before `begun`.
  ComparisonLog(Duration window, WallTime begun) : window_(window), horizon_(begun) {}

  /// Adds a record of evictd once. Returns false if it is known.
  bool add_decision(exporting::ComparedEviction decision, MonoTime now);
  /// Adds a kubelet's eviction. A pod is evicted only once. Time and details from an event replace
  /// those from the pod's status.
  /// Returns false if it is known, or older than the kept history.
  bool add_eviction(exporting::ComparedEviction eviction, MonoTime now);
  /// Settles every entry whose window ended by `now`. Returns false if there was none.
  bool settle(MonoTime now);
  /// The time of the next settle() call; the end of the clock if no entry waits.
  [[nodiscard]] MonoTime due() const;

  /// evictd's journal is known up to this number.
  void move_to(std::uint64_t seq) { cursor_ = seq; }
  [[nodiscard]] std::optional<std::uint64_t> cursor() const { return cursor_; }
  [[nodiscard]] WallTime horizon() const { return horizon_; }

  /// Oldest first, in the order of the reports.
  [[nodiscard]] std::vector<exporting::Comparison> comparisons() const;

  /// The lines of the file, without line ends: one with the known end of the journal, and one for
  /// each comparison.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// Takes a line that texts() wrote. An entry that waits does so for a whole window from `now` on.
  /// Errors: kMalformed or kUnsupported for anything else.
  [[nodiscard]] Result<> apply(std::string_view text, MonoTime now);

 private:
  struct Kept {
    exporting::Comparison comparison;
    /// End of its window, while it waits.
    MonoTime settled_at{};
  };
  enum class Side { kEvictd, kKubelet };

  [[nodiscard]] static std::optional<exporting::ComparedEviction>& side_of(
      exporting::Comparison& comparison, Side side);
  /// Of the entries that wait for side `missing` and satisfy `is_partner`, the nearest in time.
  template <typename IsPartner>
  Kept* find_waiting(Side missing, WallTime time, IsPartner is_partner);
  void add(exporting::ComparedEviction eviction, Side side, MonoTime now);
  void settle_eviction(std::size_t place);
  void keep(Kept kept);
  [[nodiscard]] Duration wait_of(Side side) const;

  Duration window_;
  /// A kubelet's evictions up to this time may have been dropped.
  WallTime horizon_;
  std::optional<std::uint64_t> cursor_;
  std::vector<Kept> kept_;
};

}  // namespace evictd::kube
