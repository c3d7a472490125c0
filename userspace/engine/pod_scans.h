// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "evictd/time.h"

namespace evictd::engine {

/// How long a pass waits for housekeeping to look which pods there are. A look takes milliseconds;
/// what grows meanwhile is nearer to the kernel's OOM killer.
inline constexpr Duration kScanPatience = std::chrono::milliseconds(250);

/// Whether the hot thread knows which pods there are, and which of them have a process, well enough
/// to choose one of them. Where the kernel side does not tell, only a look of housekeeping does; a
/// pass that would choose without one asks for it and waits. Pure: `now` is given.
class PodScans {
 public:
  enum class Step : std::uint8_t {
    kGoOn,    ///< Somebody has looked since the pass was wanted.
    kAsk,     ///< Ask for a look with the number asked(); once.
    kWait,    ///< For the answer, until deadline().
    kGiveUp,  ///< It does not come in time: go on with what is known.
  };

  /// What is next for a pass in the turn of the hot thread that began at `turn`. An answer counts
  /// in the turn that it was taken in: all passes of that turn go by it, later ones ask anew.
  /// Whoever was kept waiting in vain is not kept waiting again before that answer has come.
  [[nodiscard]] Step next_step(MonoTime turn, MonoTime now);
  /// The look could not be asked for: nothing is awaited.
  void not_asked() { answered_ = asked_; }
  void answered(std::uint64_t round, MonoTime turn);

  /// Something that the kernel side told of pods was lost.
  void record_loss() { lost_after_ = asked_; }
  /// Whether there was no look since that was asked for after the loss.
  [[nodiscard]] bool lost() const { return lost_after_.has_value(); }

  [[nodiscard]] bool waits(MonoTime now) const { return asked_ > answered_ && now < give_up_at_; }
  /// When waiting ends without an answer; only while it waits.
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
