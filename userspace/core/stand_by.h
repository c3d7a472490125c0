// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::core {

/// How long a thread may poll a kernel ring without sleeping after the kernel side reported that a
/// threshold is milliseconds away. A wake-up costs about 50 us and leaves the thread's data cold;
/// polling avoids both.
///
/// An allowance that grows with time pays for it, so growth that never crosses costs at most half a
/// percent of a core. Pure: `now` is an argument.
class StandBy {
 public:
  /// A threshold further away than this is reached slowly, and a wake-up costs little then.
  /// APPROACH_PAUSE_NS of approach.bpf.h has the same value: after it the kernel side may hint at
  /// an eviction again. The pauses of notifications are shorter (evictd/abi/notify_attention.h).
  static constexpr Duration kLongest = std::chrono::microseconds(1500);
  /// Allowance gained per second, and the most that is saved up.
  static constexpr Duration kPerSecond = std::chrono::milliseconds(5);
  static constexpr Duration kMostSaved = std::chrono::milliseconds(15);

  /// Longer than a rehearsal of an eviction takes.
  static constexpr Duration kShortest = std::chrono::microseconds(300);

  /// Begins or extends a stand-by that lasts 1.5 times `away`, the estimated time to the threshold:
  /// a task that has not crossed by then has lost its CPU. Does nothing without allowance.
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
