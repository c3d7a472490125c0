// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evictd/time.h"
#include "notify/allowance.h"
#include "notify/terms.h"

namespace evictd::notify {

/// Values that are read in turn with each other.
struct ReadingLane {
  /// Whose files were read last.
  LevelKey last;
  MonoTime next{};
};

/// How often values are read from the files of cgroups where a backend is behind with them: when it
/// gives a hint, and all of them in turn. Reading has the kernel sum up statistics, which takes
/// longer the more cgroups and CPUs there are, so it is paid for by the CPU time that it takes:
/// half a percent of a core for hints, and as much for the turns. Values whose reading is dear have
/// turns of their own, so that the others do not wait for them; these take half a percent as well,
/// but no turn is more than kLongestWait after the one before. Pure: `now` is an argument, costs
/// are CPU time.
class ReadingPace {
 public:
  /// All are read once in this time, where that is not too dear.
  static constexpr Duration kPeriod = std::chrono::milliseconds(100);
  /// A turn ends once it has cost this, so that nobody who is to be told of something else waits
  /// for long.
  static constexpr Duration kTurnCost = std::chrono::microseconds(250);
  static constexpr Duration kDear = std::chrono::milliseconds(1);
  static constexpr Duration kLongestWait = std::chrono::seconds(1);
  /// Of so many parts of the time readings may take one.
  static constexpr int kShare = 200;
  /// For hints, and no hint is paid for with more: of what all share, and of what each has for
  /// itself, all of them together.
  static constexpr Duration kMostSaved = std::chrono::microseconds(2500);

  /// Whether a hint of one of `all` values is followed, of which `own` is its own allowance; what
  /// is not is found in turn. Half of what there is belongs to each in equal parts, so that
  /// nobody's hints can take all of it.
  [[nodiscard]] bool may_follow(Allowance& own, MonoTime now, std::size_t all);
  /// Pays for a hint that was followed.
  void follow(Allowance& own, Duration cost);

  [[nodiscard]] static bool is_dear(Duration cost) { return cost > kDear; }
  /// When the next turn is, after one that began at `began`, cost `cost` and read `read` values of
  /// `all`, which is not 0.
  [[nodiscard]] static MonoTime next_turn(MonoTime began, Duration cost, std::size_t read,
                                          std::size_t all);

 private:
  DividedAllowance hints_{kMostSaved, kShare};
};

/// What an Engine knows of its readings.
struct Readings {
  ReadingPace pace;
  ReadingLane cheap;
  ReadingLane dear;
  /// When the next turn is; the epoch where nothing is read.
  MonoTime due{};
  /// Values that are read, as of the last turn and what was added since.
  std::size_t values = 0;
};

}  // namespace evictd::notify
