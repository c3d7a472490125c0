// SPDX-License-Identifier: Apache-2.0
// One workload before the kernel's own notifications (cgroup v1: cgroup.event_control; v2 has none)
// and before ours. What the cgroup's file says of usage is the truth on either.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine_ground.h"
#include "ordered_eventfds.h"

namespace evictd::test {

/// Above and below every threshold by more than what both sides may miss: v1 samples every 128 page
/// events a CPU; charges come in 64 pages a CPU, seven times that for ancestors on 6.18.
inline constexpr std::uint64_t kMargin = 8 * kMega;

/// What a charge batch makes by itself is smaller: seven times 64 pages on each of two CPUs.
inline constexpr std::uint64_t kBatchBound = 4 * kMega;

/// A threshold that both sides watch.
struct Mark {
  const TestCgroup* cgroup = nullptr;
  std::uint64_t threshold = 0;
};

/// Among which crossings the order is told.
enum class Sequence {
  kOfAll,
  /// Where memory is given back faster than the timer may look (docs/notify_migration.md), cgroups
  /// are looked at one after the other, each with all that it has crossed.
  kOfEachCgroup,
};

class SideBySide : public EngineGround {
 protected:
  /// Has both sides watch; the numbers of eventfds are the places in `marks`.
  void watch(std::vector<Mark> marks, evictd_notify_signal signal = EVICTD_NOTIFY_USAGE);
  /// And a second one of ours at each mark for compare(), with a hysteresis that what the workload
  /// does not make on purpose stays below.
  void watch_ramps(std::vector<Mark> marks, evictd_notify_signal signal = EVICTD_NOTIFY_USAGE,
                   std::uint64_t hysteresis = kBatchBound);

  /// The workload has crossed `truth` and stands still: what each side made of it.
  void compare(const std::vector<std::size_t>& truth, Sequence order = Sequence::kOfAll);
  /// What memory.current (v1: memory.usage_in_bytes) says of the marks, and what it should.
  void confirm(const std::vector<std::size_t>& truth);
  /// Prints what was counted. How much of it was counted apart depends on who else charges memory
  /// on the same CPUs, and proves nothing.
  void report(std::uint64_t excursions) const;

  [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }
  /// Signals beyond one for each crossing that was compared.
  [[nodiscard]] std::uint64_t our_short_ones() const { return our_short_ones_; }
  [[nodiscard]] std::uint64_t their_short_ones() const { return their_short_ones_; }
  [[nodiscard]] bool has_kernels_own() const { return !cgroups_are_unified(); }
  [[nodiscard]] OrderedEventfds& ours() { return ours_; }
  [[nodiscard]] OrderedEventfds& theirs() { return theirs_; }

 private:
  /// With a hysteresis there is nothing but `truth`: all else was smaller than that.
  void expect_once(const std::vector<std::size_t>& truth);
  void expect_order(std::vector<std::size_t> seen, std::vector<std::size_t> truth,
                    Sequence order) const;

  std::vector<Mark> marks_;
  /// By mark: usage is above.
  std::vector<bool> above_;
  OrderedEventfds ours_;
  OrderedEventfds theirs_;
  /// Ours with a hysteresis, and how often each was signalled.
  std::vector<std::unique_ptr<CountedEventfd>> steady_;
  std::vector<std::uint64_t> steady_seen_;
  std::uint64_t crossings_ = 0;
  std::uint64_t our_short_ones_ = 0;
  std::uint64_t their_short_ones_ = 0;
};

}  // namespace evictd::test
