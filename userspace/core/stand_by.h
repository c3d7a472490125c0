// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::core {

/// How long a thread may look at a ring of the kernel side without sleeping, once that has said
/// that a threshold is milliseconds away. Being woken costs some 50 us, and everything that the
/// thread touches is cold then; one that does not sleep pays for neither.
///
/// Paid for from an allowance that grows with time, so that growth which never crosses costs at
/// most half a percent of a core. Pure: `now` is an argument.
class StandBy {
 public:
  /// A threshold reached later than this is reached slowly, and a wake-up loses little.
  /// APPROACH_PAUSE_NS of approach.bpf.h is the same: when it is over there may be a new hint of an
  /// eviction. Those of notifications are shorter (evictd/abi/notify_attention.h).
  static constexpr Duration kLongest = std::chrono::microseconds(1500);
  /// Allowance for a second, and the most that is saved up.
  static constexpr Duration kPerSecond = std::chrono::milliseconds(5);
  static constexpr Duration kMostSaved = std::chrono::milliseconds(15);

  /// More than a rehearsal of an eviction takes.
  static constexpr Duration kShortest = std::chrono::microseconds(300);

  /// Begins, or goes on for longer, for half as long again as the threshold seems to be away:
  /// whoever has not come by then has lost its CPU. Nothing happens without allowance.
  void begin(MonoTime now, Duration away);
  [[nodiscard]] bool under_way() const { return until_ != MonoTime{}; }
  [[nodiscard]] bool lasts(MonoTime now) const { return now < until_; }
  /// Pays for the time since begin().
  void end(MonoTime now);

 private:
  MonoTime began_{};
  MonoTime until_{};
  Duration saved_ = kMostSaved;
  MonoTime saved_at_{};
};

}  // namespace evictd::core
