// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eviction/pass.h"

namespace evictd::engine {

/// Why a pass was run.
enum class PassTrigger : std::uint8_t {
  kRegular,   ///< The regular cadence, as in the kubelet.
  kCrossing,  ///< The kernel side saw a crossing.
  kStall,     ///< The kernel side saw a pod stall on memory.
  kDeadline,  ///< A grace period, transition period or hold ended, or a victim is retried.
  kRelease,   ///< A victim's resources are free.
  kRequest,   ///< The main thread requested it: start, reload, loss of events.
  kApproach,  ///< The kernel side saw a value grow fast towards its threshold.
  kDisk,      ///< A reading of a filesystem past its threshold, now or before, or a requested one.
  kReport,    ///< The last pass left no copy of its results; now there is room for one.
};
inline constexpr std::size_t kPassTriggers = 9;

/// "regular", "crossing", "stall", "deadline", "release", "request", "approach", "disk",
/// "report".
[[nodiscard]] std::string_view to_string(PassTrigger trigger);

/// kEventOnly for triggers that are events alone: recovery then resets no grace period. kRegular
/// for passes that evictd decided to run.
[[nodiscard]] eviction::Cadence cadence_of(PassTrigger trigger);

}  // namespace evictd::engine
