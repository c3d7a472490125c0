// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cast/cast.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "fork_race/bystander.h"
#include "load/stamp_log.h"
#include "stage/child.h"

namespace evictd::bench {

/// The machine's limit on tasks and the threshold of pid.available below it.
struct PidRoom {
  std::int64_t limit = 0;
  std::int64_t threshold = 0;
};

/// What is known of one fork bomb once no process of its pod is left.
struct BombEvidence {
  /// One a fork, and the forks that were refused.
  const load::StampLog& stamps;
  /// The machine's, before the first fork.
  std::int64_t tasks_before = 0;
  /// Of its first process; nothing if it lived to the end of the trial, and the bench ended it.
  std::optional<stage::ChildExit> end;
  /// Processes that the kernel's OOM killer took from the pod.
  std::int64_t oom_kills = 0;
  /// Forks that a pids.max refused, such as that with which evictd stops a victim's. Source:
  /// pids.events of the container, where kernel 6.1 counts them whichever cgroup has the limit.
  std::int64_t refused_by_cgroup = 0;
  /// Forks of the bystander that failed while the bomb was there.
  std::uint64_t bystander_refused = 0;
  /// When no process of the pod was left.
  MonoTime gone{};
};

/// What one fork bomb did.
struct BombOutcome {
  /// Its first process was killed with SIGKILL, and not by the kernel's OOM killer or the bench.
  bool killed = false;
  /// A fork was refused, and not because of a pids.max: the machine had no pid left.
  bool limit_reached = false;
  /// The bomb was refused a fork, by whatever limit, before evictd had told it anything.
  bool refused_untold = false;
  /// So was somebody who has nothing to do with it.
  bool bystander_refused = false;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Forks after the one at which pid.available fell below the threshold. Nothing, as of the next
  /// two, if that one has no stamp: the bomb was dead before it had stamped it.
  std::optional<double> forks_past;
  /// From that fork to the last one; milliseconds.
  std::optional<double> forking_past_ms;
  /// From that fork until no process of the pod was left; nothing if the bench ended it.
  std::optional<double> to_gone_ms;

  /// The bomb is gone, no limit was reached by it or by anybody else, and nobody else died.
  [[nodiscard]] bool won() const;
};

/// What the evidence says; of the bystanders it says nothing.
[[nodiscard]] BombOutcome outcome_of(const BombEvidence& evidence, const PidRoom& room);

/// One fork bomb from rest to its end. Errors: what makes the trial void: no process, processes
/// that cannot be killed, a bomb that ended by itself, a bystander that did not fork.
Result<BombOutcome> run_bomb(Cast& cast, const ForkingBystander& bystander, const PidRoom& room);

}  // namespace evictd::bench
