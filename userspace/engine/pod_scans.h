// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "evictd/time.h"

namespace evictd::engine {

/// Longest wait of a pass for a scan by the main thread. A scan takes milliseconds; meanwhile
/// growth approaches the kernel's OOM killer.
inline constexpr Duration kScanPatience = std::chrono::milliseconds(250);

/// Whether the pod list is current.
enum class Known : std::uint8_t { kYes, kAsking, kWaiting };

/// Whether the hot thread's list of pods and their processes is current enough to choose a pod.
/// Without events of the kernel side, only a scan by the main thread updates it. A pass that would
/// choose a pod without a scan requests one and waits. Pure: `now` is given.
class PodScans {
 public:
  enum class Step : std::uint8_t {
    kGoOn,    ///< A scan has finished since the pass was wanted.
    kAsk,     ///< Request a scan with the number asked(); once.
    kWait,    ///< Wait for the answer, until deadline().
    kGiveUp,  ///< The answer is late: continue with the known list.
  };

  /// Next step of a pass in the hot thread's turn that began at `turn`. An answer counts for all
  /// passes of the turn in which it arrived; later passes request again. After a wait in vain, no
  /// pass waits again before that answer has arrived.
  [[nodiscard]] Step next_step(MonoTime turn, MonoTime now);
  /// The scan could not be requested: no answer is pending.
  void not_asked() { answered_ = asked_; }
  void answered(std::uint64_t round, MonoTime turn);

  /// Events of the kernel side about pods were lost.
  void record_loss() { lost_after_ = asked_; }
  /// Whether no scan requested after the loss has finished yet.
  [[nodiscard]] bool lost() const { return lost_after_.has_value(); }

  [[nodiscard]] bool waits(MonoTime now) const { return asked_ > answered_ && now < give_up_at_; }
  /// When the wait ends without an answer; valid only while it waits.
  [[nodiscard]] MonoTime deadline() const { return give_up_at_; }
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

 private:
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  MonoTime give_up_at_{};
  std::optional<MonoTime> answered_in_;
  std::optional<std::uint64_t> lost_after_;
};

}  // namespace evictd::engine
