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

/// A pod that was sent SIGKILL counts as being freed for this long, its processes and what they
/// leave behind: as the kubelet waits for one.
inline constexpr Duration kReleaseWait = std::chrono::seconds(30);

/// Units of `resource` that earlier victims are about to free at `now` in `scope`.
[[nodiscard]] Wide pending_release(std::span<const ReleasingPod> pods, Resource resource,
                                   Scope scope, MonoTime now);

/// When the first of the releases that count at `now` in `scope` ceases to count.
[[nodiscard]] std::optional<MonoTime> release_deadline(std::span<const ReleasingPod> pods,
                                                       Scope scope, MonoTime now);

/// Whether a victim that frees something in `scope` stands so.
[[nodiscard]] bool has_standing(std::span<const PassPod> pods, Standing standing, Scope scope);

/// What a hold is judged by.
struct HoldQuestion {
  bool hard = false;
  Observation seen;
  /// The threshold as an amount, and the amount at which it no longer counts as met.
  Wide threshold = 0;
  Wide goal = 0;
  /// What a further fall is measured from; none yet before the first hold.
  std::optional<EvictionMark> mark;
  Resource resource = Resource::kMemory;
  /// Victims that free nothing in it are not waited for.
  Scope scope = Scope::kNode;
  /// Less than this left ends a hard grace, and the wait for what dead victims have left behind.
  Wide floor = 0;
};

/// What available must fall by after the mark that ends a hold: a quarter of the threshold, or half
/// of what was left where that is less. 0 without a mark.
[[nodiscard]] Wide further_fall(const HoldQuestion& question);

/// Why the next kill has to wait, kNone if it does not:
/// - a victim in its hard grace is always waited for, one in its soft grace by soft thresholds
/// only;
/// - what dead victims have left behind of memory is waited for, whatever it amounts to, unless
///   somebody alive takes the rest: see choice_beside_left();
/// - what is being freed would reach the goal, unless available has fallen by further_fall() since
///   the first pass that was held after the last victim was sent SIGKILL (what that took before is
///   freed with it);
/// - a victim that frees any of a disk is waited for as the kubelet waits: it wrote on after it was
///   measured, so that neither the amount nor a fall of what is available tells enough.
[[nodiscard]] Reason hold_reason(const HoldQuestion& question, const PassInput& input,
                                 MonoTime now);

}  // namespace evictd::eviction
