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

/// Pairs what evictd would have done with what a kubelet did, and keeps the newest of it. The same
/// pod, within the window, is a pair at once. What has found no partner when its window has passed
/// is a pair with the nearest of the other side about the same resource, or stays alone. Pure.
class ComparisonLog {
 public:
  static constexpr std::size_t kMostKept = 512;

  /// `begun`: what a kubelet did before is nobody's.
  ComparisonLog(Duration window, WallTime begun) : window_(window), horizon_(begun) {}

  /// A record of evictd, once. False: it is known.
  bool add_decision(exporting::ComparedEviction decision, MonoTime now);
  /// A kubelet's eviction, which is of one pod and so once. An event tells better when and how it
  /// was than what is known of the pod's status. False: it is known, or older than what is kept.
  bool add_eviction(exporting::ComparedEviction eviction, MonoTime now);
  /// Whose window has passed by `now` is settled. False: nobody's has.
  bool settle(MonoTime now);
  /// When to call settle() next; the end of the clock where nobody waits.
  [[nodiscard]] MonoTime due() const;

  /// evictd's journal is known up to this number.
  void move_to(std::uint64_t seq) { cursor_ = seq; }
  [[nodiscard]] std::optional<std::uint64_t> cursor() const { return cursor_; }
  [[nodiscard]] WallTime horizon() const { return horizon_; }

  /// Oldest first, by when they were told.
  [[nodiscard]] std::vector<exporting::Comparison> comparisons() const;

  /// The lines of the file, without line ends: one that says up to where things are known, and one
  /// of each comparison.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// Takes one that texts() wrote; who waits does so for a whole window from `now` on.
  /// Errors: kMalformed or kUnsupported for anything else.
  [[nodiscard]] Result<> apply(std::string_view text, MonoTime now);

 private:
  struct Kept {
    exporting::Comparison comparison;
    /// When it is settled, while it waits.
    MonoTime settled_at{};
  };
  enum class Side { kEvictd, kKubelet };

  [[nodiscard]] static std::optional<exporting::ComparedEviction>& side_of(
      exporting::Comparison& comparison, Side side);
  /// Of those that wait for `missing` the nearest in time that `is_partner` takes.
  template <typename IsPartner>
  Kept* find_waiting(Side missing, WallTime time, IsPartner is_partner);
  void add(exporting::ComparedEviction eviction, Side side, MonoTime now);
  void settle_eviction(std::size_t place);
  void keep(Kept kept);
  [[nodiscard]] Duration wait_of(Side side) const;

  Duration window_;
  /// A kubelet's evictions up to then may have been forgotten.
  WallTime horizon_;
  std::optional<std::uint64_t> cursor_;
  std::vector<Kept> kept_;
};

}  // namespace evictd::kube
