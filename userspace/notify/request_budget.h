// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>

#include "evictd/time.h"
#include "notify/allowance.h"

namespace evictd::notify {

/// How much of the thread's CPU time the requests of users may take. Whose is used up is left in
/// the socket for a while: a thread that finds requests each time that it looks would never sleep,
/// and one with real-time priority would keep a CPU from everybody. Pure: `now` is an argument,
/// costs are CPU time.
class RequestBudget {
 public:
  /// Of all requests together: half of it is divided among the users who have asked lately.
  static constexpr Duration::rep kShare = 4;
  /// Of each half; no turn is paid for with more. At some 150 us for a REGISTER, what one user may
  /// have registered at most is registered in one go when evictd has been restarted.
  static constexpr Duration kMostSaved = std::chrono::milliseconds(100);
  /// Taking in those who connect has an allowance of its own, because who they are is not known
  /// before: all of them together, some 3000 a second.
  static constexpr Duration::rep kConnectingShare = 16;
  static constexpr Duration kMostSavedToConnect = std::chrono::milliseconds(10);
  /// After so long whoever was put off is looked at again.
  static constexpr Duration kPause = std::chrono::milliseconds(10);

  /// Whether requests of `uid` are taken now.
  [[nodiscard]] bool is_left(uid_t uid, MonoTime now);
  /// Pays for a turn of `uid`, for which there was something left.
  void pay(uid_t uid, Duration cost);
  [[nodiscard]] bool may_connect(MonoTime now);
  void pay_connecting(Duration cost) { connecting_.pay(cost); }
  /// Users who have not saved up again what they have spent.
  [[nodiscard]] std::size_t users() const { return users_.size(); }

 private:
  void forget_rested(MonoTime now);

  DividedAllowance all_{kMostSaved, kShare};
  std::map<uid_t, Allowance> users_;
  Allowance connecting_;
};

}  // namespace evictd::notify
