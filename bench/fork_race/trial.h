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

/// What is known of a fork bomb after its pod's last process exited.
struct BombEvidence {
  /// One stamp per fork, and the number of refused forks.
  const load::StampLog& stamps;
  /// The machine's number before the first fork.
  std::int64_t tasks_before = 0;
  /// Exit of its first process; nullopt if it lived until the bench ended the trial.
  std::optional<stage::ChildExit> end;
  /// Processes of the pod that the kernel's OOM killer killed.
  std::int64_t oom_kills = 0;
  /// Forks that a pids.max refused, such as the limit with which evictd stops a victim's forks.
  /// Source: pids.events of the container; kernel 6.1 counts them there, whichever cgroup has the
  /// limit.
  std::int64_t refused_by_cgroup = 0;
  /// Failed forks of the bystander while the bomb ran.
  std::uint64_t bystander_refused = 0;
  /// When the pod's last process exited.
  MonoTime gone{};
};

/// Results of one fork bomb.
struct BombOutcome {
  /// SIGKILL killed its first process, and neither the kernel's OOM killer nor the bench sent it.
  bool killed = false;
  /// A fork was refused, but not by a pids.max: the machine had no pid left.
  bool limit_reached = false;
  /// Any limit refused the bomb a fork before evictd had sent it a signal.
  bool refused_untold = false;
  /// A fork of an uninvolved process was refused.
  bool bystander_refused = false;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Forks after the one at which pid.available fell below the threshold. This and the next two are
  /// nullopt if that fork has no stamp: the bomb died before it wrote one.
  std::optional<double> forks_past;
  /// Milliseconds from that fork to the last one.
  std::optional<double> forking_past_ms;
  /// Milliseconds from that fork to the exit of the pod's last process; nullopt if the bench ended
  /// it.
  std::optional<double> to_gone_ms;

  /// The bomb is gone, neither it nor any other process reached a limit, and no other pod died.
  [[nodiscard]] bool won() const;
};

/// Evaluates the evidence. It does not cover the bystander pods.
[[nodiscard]] BombOutcome outcome_of(const BombEvidence& evidence, const PidRoom& room);

/// Runs one fork bomb from rest to its end. Errors: those that make the trial void: no process,
/// unkillable processes, a bomb that exited by itself, a bystander that did not fork.
Result<BombOutcome> run_bomb(Cast& cast, const ForkingBystander& bystander, const PidRoom& room);

}  // namespace evictd::bench
