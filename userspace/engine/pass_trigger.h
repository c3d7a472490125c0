// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eviction/pass.h"

namespace evictd::engine {

/// Why a pass was run.
enum class PassTrigger : std::uint8_t {
  kRegular,   ///< The regular cadence, which the kubelet has too.
  kCrossing,  ///< The kernel side saw a threshold crossed.
  kStall,     ///< The kernel side saw a pod lose time to memory.
  kDeadline,  ///< A grace, a transition period or a hold ended, or a victim is tried again.
  kRelease,   ///< A victim's resources are free.
  kRequest,   ///< Housekeeping asked: start, reload, loss of events.
  kApproach,  ///< The kernel side saw a value race towards its threshold.
  kDisk,      ///< A filesystem was read that is past a threshold or was, or an answer was awaited.
  kReport,    ///< The last pass left no copy, and there is one again.
};
inline constexpr std::size_t kPassTriggers = 9;

/// "regular", "crossing", "stall", "deadline", "release", "request", "approach", "disk",
/// "report".
[[nodiscard]] std::string_view to_string(PassTrigger trigger);

/// Recovery seen by an event alone resets no grace; every pass that we decided to run does.
[[nodiscard]] eviction::Cadence cadence_of(PassTrigger trigger);

}  // namespace evictd::engine
