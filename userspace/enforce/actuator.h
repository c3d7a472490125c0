// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "enforce/eviction_progress.h"
#include "enforce/kill_target.h"
#include "enforce/pod_files.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// What an actuator has done since it was created. Only grows.
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
  /// Listed processes that had exited or left the pod before they could be signalled.
  std::uint64_t gone_processes = 0;
  /// Walks of the tree because of cgroups that the target did not hold.
  std::uint64_t walks = 0;
  /// cgroup.procs files opened because no unread descriptor was left. Usually after the first
  /// signal, to find further processes.
  std::uint64_t reopened_procs = 0;
  /// Those of reopened_procs before the first SIGTERM or SIGKILL: the main thread was behind.
  std::uint64_t opened_before_signal = 0;
  /// Pods whose descriptors were opened only for the signal, because there were too few descriptors
  /// to keep them.
  std::uint64_t late_preparations = 0;
  /// SIGKILL rounds that found processes unseen by earlier rounds.
  std::uint64_t extra_rounds = 0;
  /// Pods whose tasks were limited with their first signal.
  std::uint64_t tasks_held = 0;
  /// Pods whose tasks could not be limited: their grace period may cost pids.
  std::uint64_t tasks_not_held = 0;
  /// Pods whose memory.high was lowered for their grace period, and those that have it back.
  std::uint64_t bridges_set = 0;
  std::uint64_t bridges_put_back = 0;
  /// Pods that should have had such a bridge, by BridgeState.
  std::array<std::uint64_t, kBridgeStateCount> bridges_not_set{};
  /// Failed system calls without a counter of their own.
  std::uint64_t failed_calls = 0;
};

/// How an eviction begins.
struct Start {
  /// 0: SIGKILL at once and no SIGTERM.
  Duration grace{0};
  /// For a shortage of pids: from the first signal on the pod gets no more tasks than it has then.
  bool hold_tasks = false;
  /// KillTarget::pids_max_now(), if the caller has just read it for the intent; unset: begin()
  /// reads it.
  std::optional<PidsMax> pids_max{};
  /// For a shortage of memory, with a grace period: after SIGTERM the pod's growth is throttled,
  /// until SIGKILL or its end (Bridge). Where that is impossible, the report says why.
  bool bridge = false;
  /// When the kernel side sent SIGKILL to processes of the pod; begin() finishes that. Only with
  /// grace 0.
  std::optional<MonoTime> killed_by_kernel_at{};
};

/// Kills pods. A state machine that the hot loop drives: no call waits, each takes `now`.
/// Thread rule: all calls from one thread. No call allocates. No call opens a file before the
/// signal is sent, unless the main thread is behind (counted in `walks`, `opened_before_signal`,
/// `late_preparations`).
class Actuator {
 public:
  virtual ~Actuator() = default;

  /// Begins an eviction: SIGKILL at once, or SIGTERM now and SIGKILL after the grace period. Pins
  /// `target` until it is released.
  /// Errors: kInvalid: the pod is protected; the context has the reason. kNotFound: it has no
  /// process left (normal: run the next pass). kIo: it may have processes, but none could be
  /// signalled; no eviction is in progress then, and a retry may succeed. kBusy: it is being
  /// evicted already. kExhausted: too many evictions are in progress.
  /// After a kill by the kernel side, also kNotFound if every process of the pod began later: the
  /// victims are gone, and a container was started again. There is no kIo then: it is in progress,
  /// reported with SignalMethod::kKernel, and tried again as at the end of a grace period.
  [[nodiscard]] virtual Result<SignalReport> begin(KillTarget& target, const Start& start,
                                                   MonoTime now) = 0;
  [[nodiscard]] Result<SignalReport> begin(KillTarget& target, Duration grace, MonoTime now) {
    return begin(target, Start{.grace = grace}, now);
  }
  /// Continues an eviction that an earlier evictd process began. Sends nothing now, keeps its
  /// deadline, and kills what is left of a killed pod.
  /// Errors: kInvalid: the pod is protected. kBusy: it is being evicted already. kExhausted: too
  /// many evictions are in progress.
  [[nodiscard]] virtual Result<Ticket> adopt(KillTarget& target, const Adoption& adoption,
                                             MonoTime now) = 0;
  /// Does the harmless first steps of begin() ahead: opens pidfds of the pod's processes and pins
  /// `target`, until its begin() or end_rehearsal(). Sends and writes nothing. Uses up descriptors
  /// of the target: recreate it after a rehearsal in vain. Ignores a target that is already used.
  virtual void rehearse(KillTarget& target) = 0;
  virtual void end_rehearsal() = 0;
  /// Copies the pids of the rehearsed processes of `target` to `out`, as far as it has room, and
  /// returns their number. 0 if it is not rehearsed, or if begin() would refuse it now.
  [[nodiscard]] virtual std::size_t rehearsed(const KillTarget& /*target*/,
                                              std::span<pid_t> /*out*/) const {
    return 0;
  }
  /// Makes the system calls of begin() for the rehearsed target, each so that the kernel runs most
  /// of its code path and then changes nothing. Beside a process that sweeps through memory, code
  /// that did not run for a millisecond takes many times as long. No effect on other targets.
  virtual void practise() = 0;
  /// Moves the end of the grace period of a terminating eviction to `deadline`, never later than it
  /// was. A deadline not after `now` sends SIGKILL in this call.
  /// Errors: kNotFound: the ticket is released or unknown. kInvalid: not terminating.
  [[nodiscard]] virtual Result<SignalReport> cut_grace(Ticket ticket, MonoTime deadline,
                                                       MonoTime now) = 0;

  /// When to call on_deadline() next; nullopt if nothing is due.
  [[nodiscard]] virtual std::optional<MonoTime> next_deadline() const = 0;
  /// Sends due SIGKILLs, checks pods that should be gone, gives up waits.
  virtual void on_deadline(MonoTime now) = 0;
  /// A descriptor that is readable whenever on_ready() has work; -1 if never.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Handles the kernel's events about victims: a process exited, a cgroup became empty.
  virtual void on_ready(MonoTime now) = 0;
  /// Another source reports that `cgroup` has no process left; the actuator verifies it.
  virtual void on_emptied(CgroupId cgroup, MonoTime now) = 0;

  /// Returns the next step, oldest first.
  [[nodiscard]] virtual std::optional<Progress> take_progress() = 0;
  /// Copies the evictions in progress to `out`, oldest first, as far as it has room. Returns their
  /// number.
  [[nodiscard]] virtual std::size_t in_flight(std::span<InFlight> out) const = 0;
  /// Lets an eviction in progress use a recreated target of the same pod, and unpins the old one.
  /// No effect if the pod is not being evicted, or if it has another cgroup by now: the victim is
  /// what was in the old one.
  virtual void replace(KillTarget& newer) = 0;
  /// Ends a dry-run eviction with the step kReleased: its pod may be evicted again. No effect for a
  /// released ticket and for real evictions.
  virtual void end_pretended(Ticket /*ticket*/, MonoTime /*now*/) {}
  /// From now on targets may lie only below the roots with these PodRoot::id(). Afterwards `roots`
  /// holds the previous ids.
  virtual void use_roots(std::vector<CgroupId>& roots) = 0;

  [[nodiscard]] virtual const ActuatorCounters& counters() const = 0;
};

}  // namespace evictd::enforce
