// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/saved_state.h"
#include "enforce/inhabitants.h"
#include "enforce/intent.h"
#include "evictd/bytes.h"

namespace evictd::daemon {

/// Whether an eviction that is under way may be gone on with.
enum class MayEnd {
  kYes,
  kProtected,  ///< By now: what protects it may be newer than the eviction.
  kDryRun,     ///< This evictd signals nobody, protected or not, and removes no data.
};

/// What is known of a pod when evictd starts.
struct FoundPod {
  enforce::Inhabitants inhabitants;
  /// On its cgroup.
  std::optional<enforce::Intent> intent;
  /// In the state file; nullptr if it is not there.
  const SavedEviction* saved = nullptr;
  MayEnd may_end = MayEnd::kYes;
  /// That its cgroup counts, dead ones that nobody has reaped included; -1 for not known.
  std::int64_t tasks = -1;
  /// What its cgroup is charged with beside inactive page cache; -1 for not known.
  Bytes charged{-1};
  /// What moments are told by here, as clock_name() gives it.
  std::string clock{};
};

/// How an eviction of an earlier evictd goes on.
enum class AdoptionKind {
  kInGrace,    ///< Was sent SIGTERM: keeps its deadline, and is killed then.
  kKilled,     ///< Was sent SIGKILL by us: what is left of it is ended and awaited.
  kReleasing,  ///< Is dying, by whosever hand: awaited, and not touched.
  kGone,       ///< Was ended by us, and what it took up on disk is still awaited.
  kUnreaped,   ///< Was ended by us, and its dead tasks or its memory are still awaited, not files.
  kRefused,    ///< Is protected by now: lives, and nothing that was kept of its eviction is.
  kLeft,       ///< Is left as it was found, for an evictd that is not in a dry run.
  kOver,       ///< Was ended by us, and nobody is left of those whom it was about.
};

struct Adoption {
  AdoptionKind kind = AdoptionKind::kInGrace;
  bool hard = true;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// Of one that is gone, and of whom no kill is known, when that may have been.
  MonoTime killed_at{};
  /// Its files are awaited too.
  bool for_disk = false;
  /// What its pids.max said before, as its intent has it; empty for not known.
  enforce::PidsMax pids_max{};
  /// It has no more tasks than at its first signal.
  bool hold_tasks = false;
};

/// Whether no process is left of those whom it was about.
[[nodiscard]] constexpr bool has_ended(AdoptionKind kind) {
  return kind == AdoptionKind::kGone || kind == AdoptionKind::kUnreaped ||
         kind == AdoptionKind::kOver;
}

/// Whether something of it is still to be done or awaited by this evictd.
[[nodiscard]] constexpr bool goes_on(AdoptionKind kind) {
  return kind != AdoptionKind::kRefused && kind != AdoptionKind::kLeft &&
         kind != AdoptionKind::kOver;
}

/// Nothing for a pod that no eviction is under way of, and for one that was to be killed at once
/// and of which nobody dies: it is decided anew. Processes that were started after the eviction
/// began are none of those that it is about. Where a pod cannot be read its victims are taken for
/// being there: whoever goes on with the eviction finds out. An intent of another clock, as one of
/// another time namespace is, counts for nothing; one that does not name its clock does where it
/// speaks of moments to come. Pure.
[[nodiscard]] std::optional<Adoption> adoption_of(const FoundPod& pod, MonoTime now);

}  // namespace evictd::daemon
