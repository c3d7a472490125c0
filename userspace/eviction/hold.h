// SPDX-License-Identifier: Apache-2.0
// Whether the next kill must wait for the last one. The kubelet blocks here. evictd decides again
// in every pass, so that a soft eviction never delays a hard one.
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

/// How long a pod counts as being freed after SIGKILL, with its processes and the memory that they
/// leave behind. Equals the kubelet's wait.
inline constexpr Duration kReleaseWait = std::chrono::seconds(30);

/// Units of `resource` that earlier victims are about to free at `now` in `scope`.
[[nodiscard]] Wide pending_release(std::span<const ReleasingPod> pods, Resource resource,
                                   Scope scope, MonoTime now);

/// When the earliest release that counts at `now` in `scope` stops counting.
[[nodiscard]] std::optional<MonoTime> release_deadline(std::span<const ReleasingPod> pods,
                                                       Scope scope, MonoTime now);

/// Whether any victim that frees something in `scope` has this standing.
[[nodiscard]] bool has_standing(std::span<const PassPod> pods, Standing standing, Scope scope);

/// Input of hold_reason().
struct HoldQuestion {
  bool hard = false;
  Observation seen;
  /// The threshold in absolute units, and the level at which it no longer counts as met.
  Wide threshold = 0;
  Wide goal = 0;
  /// Start of the measurement of a further fall; unset before the first hold.
  std::optional<EvictionMark> mark;
  Resource resource = Resource::kMemory;
  /// A hold ignores victims that free nothing in this scope.
  Scope scope = Scope::kNode;
  /// Below this floor a hard grace period ends, and so does the wait for memory of killed victims.
  Wide floor = 0;
};

/// The fall of the available value after the mark that ends a hold: a quarter of the threshold, or
/// half of what was left if that is less. 0 without a mark.
[[nodiscard]] Wide further_fall(const HoldQuestion& question);

/// Why the next kill must wait; kNone if it need not:
/// - Every threshold waits for a victim in its hard grace period. Only soft thresholds wait for one
///   in its soft grace period.
/// - Memory thresholds wait for memory that killed victims still hold, however little, unless live
///   pods take the rest: see choice_beside_left().
/// - A threshold waits if pending releases would reach the goal. It stops waiting when the
///   available value has fallen by further_fall() since the first held pass after the last SIGKILL.
///   (What the victim took before is freed with it.)
/// - Disk thresholds wait for any victim that frees disk, as the kubelet does. The victim wrote on
///   after its measurement, so neither its size nor a fall of the available value is sufficient.
[[nodiscard]] Reason hold_reason(const HoldQuestion& question, const PassInput& input,
                                 MonoTime now);

}  // namespace evictd::eviction
