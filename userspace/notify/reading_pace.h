// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evictd/time.h"
#include "notify/allowance.h"
#include "notify/terms.h"

namespace evictd::notify {

/// A set of values that are read in turn.
struct ReadingLane {
  /// The value whose files were read last.
  LevelKey last;
  MonoTime next{};
};

/// How often values are read from cgroup files when a backend lags behind with them: when it gives
/// a hint, and all of them in turn. Reading makes the kernel sum up statistics, which takes longer
/// with more cgroups and CPUs. So readings are paid for by their CPU time: half a percent of a core
/// for hints, and as much for the turns. Expensive values have turns of their own, so that the
/// others do not wait for them. These also take half a percent, but start no more than kLongestWait
/// after the previous turn. Pure: `now` is an argument, costs are CPU time.
class ReadingPace {
 public:
  /// All values are read once per period, unless that is too expensive.
  static constexpr Duration kPeriod = std::chrono::milliseconds(100);
  /// A turn ends once it has cost this, so that other listeners do not wait long.
  static constexpr Duration kTurnCost = std::chrono::microseconds(250);
  static constexpr Duration kDear = std::chrono::milliseconds(1);
  static constexpr Duration kLongestWait = std::chrono::seconds(1);
  /// Readings may take 1/kShare of the time.
  static constexpr int kShare = 200;
  /// Savings for hints, and the most that one hint is charged. Applies to the shared half, and to
  /// the values' halves together.
  static constexpr Duration kMostSaved = std::chrono::microseconds(2500);

  /// Whether to follow a hint about one of `all` values, whose own allowance is `own`; the regular
  /// turn finds what is not followed. Half of the allowance is divided equally, so that one value's
  /// hints cannot take all of it.
  [[nodiscard]] bool may_follow(Allowance& own, MonoTime now, std::size_t all);
  /// Pays for a hint that was followed.
  void follow(Allowance& own, Duration cost);

  [[nodiscard]] static bool is_dear(Duration cost) { return cost > kDear; }
  /// When the next turn is due, after one that began at `began`, cost `cost` and read `read` of
  /// `all` values. `all` must not be 0.
  [[nodiscard]] static MonoTime next_turn(MonoTime began, Duration cost, std::size_t read,
                                          std::size_t all);

 private:
  DividedAllowance hints_{kMostSaved, kShare};
};

/// An Engine's state of its readings.
struct Readings {
  ReadingPace pace;
  ReadingLane cheap;
  ReadingLane dear;
  /// When the next turn is due; the epoch if nothing is read.
  MonoTime due{};
  /// Number of values to read, as of the last turn plus those added since.
  std::size_t values = 0;
};

}  // namespace evictd::notify
