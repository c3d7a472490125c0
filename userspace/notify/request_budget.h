// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>

#include "evictd/time.h"
#include "notify/allowance.h"

namespace evictd::notify {

/// Limits the CPU time that users' requests take. Requests of a user without budget stay in the
/// socket for a while: a thread that always finds requests would never sleep, and with real-time
/// priority it would keep a CPU from everybody. Pure: `now` is an argument, costs are CPU time.
class RequestBudget {
 public:
  /// All requests together may take 1/kShare. Half of it is divided among the users with recent
  /// requests.
  static constexpr Duration::rep kShare = 4;
  /// Savings of each half, and the most that one turn is charged. At about 150 us for a REGISTER, a
  /// user can register its maximum in one go after a restart of evictd.
  static constexpr Duration kMostSaved = std::chrono::milliseconds(100);
  /// Accepting connections has its own allowance, because the user is unknown before: about 3000
  /// connections a second for all users together.
  static constexpr Duration::rep kConnectingShare = 16;
  static constexpr Duration kMostSavedToConnect = std::chrono::milliseconds(10);
  /// A user who was put off is served again after this time.
  static constexpr Duration kPause = std::chrono::milliseconds(10);

  /// Whether to take requests of `uid` now.
  [[nodiscard]] bool is_left(uid_t uid, MonoTime now);
  /// Pays for a turn of `uid`; is_left() must have returned true.
  void pay(uid_t uid, Duration cost);
  [[nodiscard]] bool may_connect(MonoTime now);
  void pay_connecting(Duration cost) { connecting_.pay(cost); }
  /// Users whose savings have not fully recovered.
  [[nodiscard]] std::size_t users() const { return users_.size(); }

 private:
  void forget_rested(MonoTime now);

  DividedAllowance all_{kMostSaved, kShare};
  std::map<uid_t, Allowance> users_;
  Allowance connecting_;
};

}  // namespace evictd::notify
