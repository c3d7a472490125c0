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

/// What one user is given.
struct DeliveryAccount {
  uid_t owner = 0;
  std::size_t registrations = 0;
  Allowance own;
  /// The turn that `given` is of.
  std::uint64_t turn = 0;
  std::size_t given = 0;
  /// Each once, who is told next first.
  std::list<Registration*> owed_to;
};

/// Who is given a signal at once and who later, so that nobody's crossings keep others waiting for
/// more than a bounded number of signals of each user. What one user is due beyond that is owed:
/// counted by registration, and given in the same order as soon as others have had their turn. The
/// counter of an eventfd adds up, so nothing is lost by that.
///
/// A user is given kTurn signals at a time, and as many as its allowance is for: so one whose
/// values cross without end leaves the thread time for others. Pure: `now` is an argument. Where
/// nothing is owed it allocates nothing.
class Deliveries {
 public:
  /// Signals of one user in a turn.
  static constexpr std::size_t kTurn = 256;
  /// What a signal is paid for with; measured, about.
  static constexpr Duration kCost = std::chrono::microseconds(1);
  /// Of a thread's time all signals together have one part of so many, half of it divided among
  /// the users who have registrations.
  static constexpr Duration::rep kShare = 4;
  /// Of each half: what one user is due at once for a crossing of all its registrations, twice.
  static constexpr Duration kMostSaved = std::chrono::milliseconds(2);
  /// Where all who are owed something have spent their allowance, they wait for so long.
  static constexpr Duration kPause = std::chrono::milliseconds(1);

  /// `registration` begins. It stays where it is until leave().
  void join(Registration& registration);
  /// It ends; what it is owed is forgotten.
  void leave(Registration& registration);

  /// Another turn begins.
  void begin(MonoTime now);
  /// `registration` is due a signal: whether it is to be given now, otherwise it is owed.
  [[nodiscard]] bool give(Registration& registration);
  /// Another turn, of signals that are owed to one user, the next one who may have any: adds whom
  /// to signal, in this order, one as often as it occurs.
  /// Returns whether somebody may have more at once.
  [[nodiscard]] bool pay(MonoTime now, std::vector<Registration*>& paid);
  /// When the next turn of pay() is due, after one that has ended and returned `more`: however much
  /// a signal costs in fact, no more than a kShare'th of the time is spent on paying.
  [[nodiscard]] MonoTime next_turn(MonoTime ended, bool more);
  [[nodiscard]] std::uint64_t owed() const { return owed_; }

 private:
  /// Whether the user is given another one in this turn.
  [[nodiscard]] bool may_have(DeliveryAccount& account);
  void count(DeliveryAccount& account);
  void pay_one(DeliveryAccount& account, std::vector<Registration*>& paid);

  DividedAllowance all_{kMostSaved, kShare};
  std::map<uid_t, DeliveryAccount> accounts_;
  /// Who is owed something, who is next first.
  std::deque<DeliveryAccount*> waiting_;
  std::uint64_t turn_ = 0;
  MonoTime now_{};
  std::uint64_t owed_ = 0;
  /// When the first turn since the last pause began; none while there is a pause.
  std::optional<MonoTime> round_;
};

}  // namespace evictd::notify
