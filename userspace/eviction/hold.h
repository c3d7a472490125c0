// SPDX-License-Identifier: Apache-2.0
// Whether the next kill has to wait for the last one. The kubelet blocks here; we decide anew in
// every pass, so that a soft eviction never delays a hard one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "eviction/decision.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// A pod that was sent SIGKILL counts as being freed for this long: as the kubelet waits for one.
inline constexpr Duration kReleaseWait = std::chrono::seconds(30);

/// Units of `resource` that earlier victims are about to free at `now`.
[[nodiscard]] Wide pending_release(std::span<const ReleasingPod> pods, Resource resource,
                                   MonoTime now);

/// When the first of the releases that count at `now` ceases to count.
[[nodiscard]] std::optional<MonoTime> release_deadline(std::span<const ReleasingPod> pods,
                                                       MonoTime now);

/// What a hold is judged by.
struct HoldQuestion {
  bool hard = false;
  Observation seen;
  /// The threshold as an amount, and the amount at which it no longer counts as met.
  Wide threshold = 0;
  Wide goal = 0;
  /// What a further fall is measured from; none yet before the first hold after a grace.
  std::optional<EvictionMark> mark;
  Resource resource = Resource::kMemory;
};

/// Why the next kill has to wait, kNone if it does not:
/// - a victim in its hard grace is always waited for, one in its soft grace by soft thresholds
/// only;
/// - what is being freed would reach the goal, unless available has fallen by a further quarter of
///   the threshold since the last victim was sent SIGKILL (what it takes in a grace is freed with
///   it, so that after one it is measured from the first pass that is held);
/// - a victim that frees any of a disk is waited for as the kubelet waits: it wrote on after it was
///   measured, so that neither the amount nor a fall of what is available tells enough.
[[nodiscard]] Reason hold_reason(const HoldQuestion& question, const PassInput& input,
                                 MonoTime now);

}  // namespace evictd::eviction
