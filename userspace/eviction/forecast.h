// SPDX-License-Identifier: Apache-2.0
// Predicts when a resource runs out. From this follow the time for a grace period, and when the
// kernel's OOM killer would act before evictd.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "eviction/amounts.h"
#include "eviction/observation.h"

namespace evictd::eviction {

/// The guard acts this long before the reserve ends; later, the pass, SIGKILL and the victim's exit
/// would come too late. The exit takes longest: some 10 ms for a process in the middle of reclaim.
/// The rest is margin for a node on which everything waits for memory.
inline constexpr std::chrono::milliseconds kGuardHorizon{100};

/// The same if less than KernelReserve::tight is left: growth then comes in bursts between stalls.
inline constexpr std::chrono::milliseconds kTightHorizon{1000};

/// A cut grace period ends this long before the resource runs out: time for SIGKILL, and for what
/// the victim takes until then.
inline constexpr std::chrono::milliseconds kGraceMargin{50};

/// Time until the reserve is used up at its current rate; nullopt if it does not fall.
[[nodiscard]] std::optional<Duration> time_left(const KernelReserve& reserve);

/// The reserve below which the guard is due; 0 if the reserve does not fall.
[[nodiscard]] Wide guard_distance(const KernelReserve& reserve);

/// Whether the reserve will be used up within the horizon. False if it does not fall.
[[nodiscard]] bool guard_is_due(const KernelReserve& reserve);

/// Time until the next reading of a falling reserve for which the guard is not due yet: half of the
/// remaining time, so that faster growth is noticed in time. nullopt if another cause of a pass
/// comes earlier.
[[nodiscard]] std::optional<Duration> next_guard_look(const KernelReserve& reserve);

/// A time to a threshold beyond this is none: the rate of a moment says nothing of so far ahead.
inline constexpr std::chrono::minutes kFarthestThreshold{60};

/// Time from the reading until less than `limit` of the signal is available, at its rate. 0: it is
/// less already. nullopt: it does not fall, its rate is unknown, or beyond kFarthestThreshold.
[[nodiscard]] std::optional<Duration> time_to_threshold(const Observation& seen, Wide limit);

/// Place in `growth` of the pod because of which a signal falls: the one that grows fastest, if its
/// growth is at least a tenth of the fall. nullopt if there is none. All in units a second.
[[nodiscard]] std::optional<std::size_t> cause_of_fall(std::span<const std::int64_t> growth,
                                                       std::int64_t fall);

/// Time until less than `floor` of the signal is left or, if `guarded`, until the guard is due.
/// 0: now. nullopt: neither is predicted.
[[nodiscard]] std::optional<Duration> time_for_grace(const Observation& seen, Wide floor,
                                                     bool guarded);

/// The smaller of `wanted` and `left` minus kGraceMargin; at least 0.
[[nodiscard]] std::chrono::milliseconds grace_within(std::chrono::milliseconds wanted,
                                                     std::optional<Duration> left);

}  // namespace evictd::eviction
