// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enforce/pod_files.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// How an eviction of an earlier evictd continues.
enum class AdoptionKind {
  kInGrace,    ///< Received SIGTERM: keeps its deadline and is killed then.
  kKilled,     ///< Received SIGKILL from evictd: its remaining processes are killed and awaited.
  kReleasing,  ///< Is dying, whoever killed it: awaited, and not touched.
  kGone,       ///< Killed by evictd; its disk usage is still awaited.
  kUnreaped,   ///< Killed by evictd; its dead tasks or memory are still awaited, its files are not.
  kRefused,    ///< Protected now: it lives, and evictd discards its eviction's data.
  kLeft,       ///< Left as found, for an evictd that is not in a dry run.
  kOver,       ///< Killed by evictd, and none of the eviction's processes is left.
};

struct Adoption {
  AdoptionKind kind = AdoptionKind::kInGrace;
  bool hard = true;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// For a pod that is gone and without a known kill: when the kill may have been.
  MonoTime killed_at{};
  /// Its files are awaited too.
  bool for_disk = false;
  /// Former value of pids.max, from its intent; empty for unknown.
  enforce::PidsMax pids_max{};
  /// It has no more tasks than at its first signal.
  bool hold_tasks = false;
};

/// Whether none of the eviction's processes is left.
[[nodiscard]] constexpr bool has_ended(AdoptionKind kind) {
  return kind == AdoptionKind::kGone || kind == AdoptionKind::kUnreaped ||
         kind == AdoptionKind::kOver;
}

/// Whether this evictd still has to do or await something for it.
[[nodiscard]] constexpr bool goes_on(AdoptionKind kind) {
  return kind != AdoptionKind::kRefused && kind != AdoptionKind::kLeft &&
         kind != AdoptionKind::kOver;
}

}  // namespace evictd::daemon
