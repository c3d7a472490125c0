// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "evictd/time.h"

namespace evictd::bench {

/// What a system call of evictd's hot thread is for.
enum class CallKind {
  kWait,     ///< Waits for events.
  kRefresh,  ///< Runs the kernel program that refreshes the rows.
  kFlush,    ///< Reads a file that makes the kernel flush statistics.
  kRead,     ///< Reads another file.
  kKill,     ///< Leaves the intent, stops forks, lists processes, or signals one.
  kOther,
};

/// `number` is the call's; `file` the last part of the path of its first argument, if that is a
/// descriptor. A call of unknown number (-1) had begun before the trace: only a wait takes so long.
[[nodiscard]] CallKind kind_of(std::int64_t number, std::string_view file);

struct HotCall {
  CallKind kind = CallKind::kOther;
  MonoTime enter;
  MonoTime exit;
};

/// The system calls of the hot thread up to the one that sent SIGKILL, in order.
struct HotTrace {
  std::vector<HotCall> calls;
  /// When the last call generated the signal.
  MonoTime sigkill;
};

/// Where the time from the detection of a crossing to the return of its SIGKILL goes.
enum class Step {
  kWake,     ///< The thread waits for the record, and then for a CPU.
  kDrain,    ///< It takes the record in, up to the first reading of the pass that kills.
  kRefresh,  ///< It reads usage and refreshes the rows, without the flush.
  kFlush,    ///< The kernel flushes statistics.
  kRank,     ///< It observes, compares, ranks and decides, and reads again what that needs.
  kVerify,   ///< It leaves the intent, stops forks, and verifies the processes to be signalled.
  kSignal,   ///< The system call that kills, until the signal is generated.
  kReturn,   ///< The rest of that call.
};
inline constexpr std::size_t kSteps = 8;

/// "wake"
[[nodiscard]] const char* name_of(Step step);

/// Time of each step, in the order of Step. They add up to the whole.
using StepTimes = std::array<Duration, kSteps>;

/// Divides the time since `detected` among the steps. What was before does not count, so that a
/// thread that was awake has no time of kWake.
/// nullopt if the trace has no refresh before the call that kills, or ends before `detected`.
[[nodiscard]] std::optional<StepTimes> steps_of(const HotTrace& trace, MonoTime detected);

}  // namespace evictd::bench
