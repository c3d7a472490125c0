// SPDX-License-Identifier: Apache-2.0
// A kill that the kernel side does by a plan, while user space does not get the CPU.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "evictd/time.h"
#include "probe/events.h"

namespace evictd::probe {

/// A pod of the comparison. Units and meaning as eviction::Contender.
struct BackstopPod {
  /// Its slot, and the memory cgroup that must be watched there.
  std::uint32_t slot = 0;
  std::uint64_t memory_id = 0;
  std::int32_t priority = 0;
  std::int64_t exceeds_from = 0;
  std::int64_t lead = 0;
};

/// When to kill whom. Borrowed data is copied by Backstop::arm().
struct BackstopOrder {
  static constexpr std::size_t kMostRivals = 8;
  static constexpr std::size_t kMostProcesses = 64;

  /// kCgroupWorkingSet of `slot`, kNodeWorkingSet or kNodeTaken.
  Signal signal = Signal::kCgroupWorkingSet;
  std::uint32_t slot = 0;
  /// It fires while the value is between the two, both included.
  std::uint64_t least_value = 0;
  std::uint64_t most_value = 0;
  /// The value at a time shortly before, and the least growth per second since; 0: any.
  std::uint64_t from_value = 0;
  MonoTime from_at{};
  std::uint64_t least_rate = 0;
  std::uint64_t least_working_set = 0;
  BackstopPod victim;
  /// At most kMostRivals.
  std::span<const BackstopPod> rivals;
  /// Processes of the victim, in evictd's pid namespace; those beyond kMostProcesses are left out.
  std::span<const pid_t> processes;
  MonoTime expires_at{};
};

/// Why the kernel side did not fire although the level was reached. As evictd_backstop_spared.
enum class BackstopSpared : std::uint8_t {
  kNot,
  kBeyond,
  kSlow,
  kPods,
  kStale,
  kSmall,
  kRival,
  kContext,
};
inline constexpr std::size_t kBackstopSpared = 8;

/// "beyond", "slow", "pods", "stale", "small", "rival", "context"; empty for kNot.
[[nodiscard]] std::string_view to_string(BackstopSpared spared);

/// One answer of the kernel to the signals of a firing, and how often it came.
struct BackstopAnswer {
  /// 0, or an error of the kernel, negative.
  std::int32_t code = 0;
  std::uint32_t count = 0;
};

/// The kernel side killed the victim.
struct BackstopFiring {
  static constexpr std::size_t kMostAnswers = 4;

  MonoTime at{};
  /// The answers as far as they were there when it was read; further codes are left out.
  std::array<BackstopAnswer, kMostAnswers> answers{};
  std::size_t answer_count = 0;
  /// Listed processes that were not signalled: gone, moved or replaced.
  std::uint32_t left_out = 0;

  [[nodiscard]] std::span<const BackstopAnswer> given() const {
    return std::span(answers).first(answer_count);
  }
};

/// Since load(). `armed` is the sum of `fired`, `taken` and `expired`, but for a plan in force.
struct BackstopCounters {
  std::uint64_t armed = 0;
  std::uint64_t fired = 0;
  /// Taken back before and after its expiry.
  std::uint64_t taken = 0;
  std::uint64_t expired = 0;
  /// Plans not fired although the level was reached, by the last reason.
  std::array<std::uint64_t, kBackstopSpared> spared{};
  /// Signals of all firings: sent, and refused by the kernel.
  std::uint64_t signals = 0;
  std::uint64_t refused_signals = 0;
};

/// The kernel side's own kill. For the hot thread: no call allocates, opens a file or holds a lock.
class Backstop {
 public:
  Backstop() = default;
  Backstop(const Backstop&) = delete;
  Backstop& operator=(const Backstop&) = delete;
  virtual ~Backstop() = default;

  /// Gives the kernel side a plan, unless it has one. Cost: some us, a system call.
  virtual void arm(const BackstopOrder& order) = 0;
  /// Takes the plan back, if there is one. Returns the firing if it was carried out. Afterwards it
  /// can no longer fire.
  [[nodiscard]] virtual std::optional<BackstopFiring> disarm(MonoTime now) = 0;
  /// Any thread.
  [[nodiscard]] virtual BackstopCounters counters() const = 0;
};

}  // namespace evictd::probe
