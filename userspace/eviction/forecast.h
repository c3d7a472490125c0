// SPDX-License-Identifier: Apache-2.0
// How long what is left will last, and what follows from that: how much of a grace there is time
// for, and when the kernel's OOM killer would choose before we do.
#pragma once

#include <chrono>
#include <optional>

#include "eviction/amounts.h"
#include "eviction/observation.h"

namespace evictd::eviction {

/// What the guard acts before: from here on a pass, its SIGKILL and the victim's end would come too
/// late. The longest of them is the victim's end, some 10 ms of a process that is in the middle of
/// reclaiming; the rest is for a node on which everything has to wait for memory.
inline constexpr std::chrono::milliseconds kGuardHorizon{100};

/// The same with less than KernelReserve::tight left, where growth comes in bursts between stalls.
inline constexpr std::chrono::milliseconds kTightHorizon{1000};

/// A grace ends so long before time is up: SIGKILL and what the victim takes until it comes.
inline constexpr std::chrono::milliseconds kGraceMargin{50};

/// Until the reserve is used up, if it falls on as it does; nothing while it does not fall.
[[nodiscard]] std::optional<Duration> time_left(const KernelReserve& reserve);

/// How much must be left for the guard not to be due; 0 while it does not fall.
[[nodiscard]] Wide guard_distance(const KernelReserve& reserve);

/// Whether the reserve will be used up within the horizon. Never while it does not fall.
[[nodiscard]] bool guard_is_due(const KernelReserve& reserve);

/// When to look again at a reserve that falls and for which the guard is not due yet; nothing where
/// that is farther than any other cause of a pass. Half of the way, so that a growth that
/// quickens is seen in time.
[[nodiscard]] std::optional<Duration> next_guard_look(const KernelReserve& reserve);

/// Until less than `floor` is left of the signal or, if `guarded`, the guard is due; 0 for now,
/// nothing where neither is known to come.
[[nodiscard]] std::optional<Duration> time_for_grace(const Observation& seen, Wide floor,
                                                     bool guarded);

/// `wanted`, or what there is time for where that is less: `left` less the margin, down to none.
[[nodiscard]] std::chrono::milliseconds grace_within(std::chrono::milliseconds wanted,
                                                     std::optional<Duration> left);

}  // namespace evictd::eviction
