// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "evictd/time.h"
#include "notify/allowance.h"
#include "notify/registration.h"

namespace evictd::notify {

/// Deliveries to one user.
struct DeliveryAccount {
  uid_t owner = 0;
  std::size_t registrations = 0;
  Allowance own;
  /// The turn that `given` belongs to.
  std::uint64_t turn = 0;
  std::size_t given = 0;
  /// Each registration once; the next one to be signalled first.
  std::list<Registration*> owed_to;
};

/// Decides which signals are given now and which later. So the crossings of one user delay others
/// by at most a bounded number of signals per user. Signals beyond that are owed: counted per
/// registration, and given in the same order once others have had their turn. An eventfd's counter
/// adds up, so nothing is lost.
///
/// A user gets kTurn signals at a time, and only as many as its allowance pays for. So a user whose
/// values cross without end leaves the thread time for others. Pure: `now` is an argument.
/// Allocates nothing while nothing is owed.
class Deliveries {
 public:
  /// Signals of one user per turn.
  static constexpr std::size_t kTurn = 256;
  /// Price of a signal; approximately measured.
  static constexpr Duration kCost = std::chrono::microseconds(1);
  /// All signals together may take 1/kShare of a thread's time. Half of it is divided among the
  /// users who have registrations.
  static constexpr Duration::rep kShare = 4;
  /// Savings of each half: twice what a user needs when all its registrations cross at once.
  static constexpr Duration kMostSaved = std::chrono::milliseconds(2);
  /// Pause once all users with owed signals have spent their allowance.
  static constexpr Duration kPause = std::chrono::milliseconds(1);

  /// Adds `registration`. It must not move in memory until leave().
  void join(Registration& registration);
  /// Removes it; owed signals are dropped.
  void leave(Registration& registration);

  /// Begins another turn.
  void begin(MonoTime now);
  /// `registration` is due a signal. Returns true if it is to be given now; otherwise it is owed.
  [[nodiscard]] bool give(Registration& registration);
  /// Another turn, for the owed signals of one user: the next one who may have any. Appends the
  /// registrations to signal to `paid`, in order, once per signal.
  /// Returns whether another turn may follow at once.
  [[nodiscard]] bool pay(MonoTime now, std::vector<Registration*>& paid);
  /// When the next turn of pay() is due, after one that ended at `ended` and returned `more`.
  /// Whatever a signal really costs, paying takes at most 1/kShare of the time.
  [[nodiscard]] MonoTime next_turn(MonoTime ended, bool more);
  [[nodiscard]] std::uint64_t owed() const { return owed_; }

 private:
  /// Whether the user may have another signal in this turn.
  [[nodiscard]] bool may_be_given(DeliveryAccount& account);
  void count(DeliveryAccount& account);
  void pay_one(DeliveryAccount& account, std::vector<Registration*>& paid);

  DividedAllowance all_{kMostSaved, kShare};
  std::map<uid_t, DeliveryAccount> accounts_;
  /// Users with owed signals, the next one first.
  std::deque<DeliveryAccount*> waiting_;
  std::uint64_t turn_ = 0;
  MonoTime now_{};
  std::uint64_t owed_ = 0;
  /// When the first turn since the last pause began; unset during a pause.
  std::optional<MonoTime> round_;
};

}  // namespace evictd::notify
