// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "enforce/eviction_progress.h"
#include "enforce/kill_target.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// What an actuator did since it was made. Only grows.
struct ActuatorCounters {
  std::uint64_t evictions = 0;
  std::uint64_t sigterms = 0;
  std::uint64_t sigkills = 0;
  std::uint64_t escalations = 0;
  std::uint64_t released = 0;
  std::uint64_t exceeded_grace = 0;
  /// Pods that had no process left when their turn came.
  std::uint64_t vanished = 0;
  /// By Protection.
  std::array<std::uint64_t, kProtectionCount> refused{};
  /// Processes listed that had ended or left the pod before they could be signalled.
  std::uint64_t gone_processes = 0;
  /// Times the tree was walked because of cgroups that the target did not hold.
  std::uint64_t walks = 0;
  /// cgroup.procs opened because no unread descriptor was left: as a rule after the first signal,
  /// to see who else is there.
  std::uint64_t reopened_procs = 0;
  /// Of these, those opened before the first signal of a SIGTERM or SIGKILL: housekeeping was
  /// behind.
  std::uint64_t opened_before_signal = 0;
  /// Pods whose descriptors were opened only when they were to be signalled, because there were not
  /// enough to keep them.
  std::uint64_t late_preparations = 0;
  /// Rounds of SIGKILL that found processes which no earlier round had seen.
  std::uint64_t extra_rounds = 0;
  /// Pods whose tasks were bounded with their first signal.
  std::uint64_t tasks_held = 0;
  /// Pods whose tasks could not be: their grace may cost pids.
  std::uint64_t tasks_not_held = 0;
  /// System calls that failed for a reason which has no counter of its own.
  std::uint64_t failed_calls = 0;
};

/// How an eviction begins.
struct Start {
  /// 0: SIGKILL at once and no SIGTERM.
  Duration grace{0};
  /// What runs out is pids: from the first signal on the pod gets no task more than it has then.
  bool hold_tasks = false;
};

/// Ends pods. A state machine that the hot loop drives: no call waits, each takes `now`.
/// Thread rule: all calls from one thread. No call allocates, and none opens a file before the
/// signal is sent, unless housekeeping is behind (counted in `walks`, `opened_before_signal`,
/// `late_preparations`).
class Actuator {
 public:
  virtual ~Actuator() = default;

  /// Starts to evict: SIGKILL at once, or SIGTERM now and SIGKILL when the grace has passed.
  /// `target` is pinned until it is released. Errors: kInvalid when the pod is protected, the
  /// reason in the context; kNotFound when no process is left in it (normal: take the next pass);
  /// kIo when there may be some and none could be signalled: nothing is under way then, and a
  /// moment later it may succeed; kBusy when it is being evicted already; kExhausted when too many
  /// evictions are under way.
  [[nodiscard]] virtual Result<SignalReport> begin(KillTarget& target, const Start& start,
                                                   MonoTime now) = 0;
  [[nodiscard]] Result<SignalReport> begin(KillTarget& target, Duration grace, MonoTime now) {
    return begin(target, Start{.grace = grace}, now);
  }
  /// Goes on with an eviction that an earlier process of ours began: sends nothing now, keeps its
  /// deadline, and ends what is left of a killed one.
  /// Errors: kInvalid when the pod is protected; kBusy when it is being evicted already; kExhausted
  /// when too many evictions are under way.
  [[nodiscard]] virtual Result<Ticket> adopt(KillTarget& target, const Adoption& adoption,
                                             MonoTime now) = 0;
  /// Does ahead what begin() would do first and harms nobody: opens pidfds of the pod's processes
  /// and pins `target`, until its begin() or end_rehearsal(). Sends and writes nothing. Uses up
  /// descriptors of the target, so one that was rehearsed in vain is to be made anew; one that was
  /// used already is left alone.
  virtual void rehearse(KillTarget& target) = 0;
  virtual void end_rehearsal() = 0;
  /// Makes the system calls of the begin() of a target that is rehearsed, each so that the kernel
  /// goes most of its way and then changes nothing: what was not run for a millisecond takes many
  /// times as long, beside somebody who sweeps through memory. Nothing for any other target.
  virtual void practise() = 0;
  /// Moves the end of the grace of an eviction that is still terminating to `deadline`, never
  /// later than it was; a deadline not after `now` sends SIGKILL in this call.
  /// Errors: kNotFound for a ticket that is released or was never given; kInvalid if not
  /// terminating.
  [[nodiscard]] virtual Result<SignalReport> cut_grace(Ticket ticket, MonoTime deadline,
                                                       MonoTime now) = 0;

  /// When on_deadline() has to be called next; nothing while nothing is due.
  [[nodiscard]] virtual std::optional<MonoTime> next_deadline() const = 0;
  /// Sends the SIGKILLs that are due, looks again at pods that should be gone, gives up waiting.
  virtual void on_deadline(MonoTime now) = 0;
  /// A descriptor that is readable whenever on_ready() has something to do; -1 if never.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Takes in what the kernel said about victims: a process ended, a cgroup emptied.
  virtual void on_ready(MonoTime now) = 0;
  /// Another source says that `cgroup` has no process left; it is looked at before it is believed.
  virtual void on_emptied(CgroupId cgroup, MonoTime now) = 0;

  /// The next step that happened, oldest first.
  [[nodiscard]] virtual std::optional<Progress> take_progress() = 0;
  /// Copies what is under way, oldest first, as far as `out` has room; answers how many.
  [[nodiscard]] virtual std::size_t in_flight(std::span<InFlight> out) const = 0;
  /// Lets an eviction that is under way use a target made anew for the same pod; the old one is no
  /// longer pinned by it. Nothing happens if the pod is not being evicted.
  virtual void replace(KillTarget& newer) = 0;
  /// Ends an eviction in which nobody is signalled, with the step kReleased: its pod may be begun
  /// with anew. Nothing happens for a ticket that is released, nor where evictions are real.
  virtual void end_pretended(Ticket /*ticket*/, MonoTime /*now*/) {}
  /// From now on a target may lie below the roots with these PodRoot::id() only; the ids that held
  /// before are in `roots` afterwards.
  virtual void use_roots(std::vector<CgroupId>& roots) = 0;

  [[nodiscard]] virtual const ActuatorCounters& counters() const = 0;
};

}  // namespace evictd::enforce
