// SPDX-License-Identifier: Apache-2.0
#include "enforce/cgroup_actuator.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/fault_point.h"
#include "enforce/intent.h"
#include "enforce/pod_files.h"
#include "evictd/try.h"
#include "sys/pidfd.h"

namespace evictd::enforce {

Result<std::unique_ptr<CgroupActuator>> CgroupActuator::create(Options options) {
  if (options.clock == nullptr) {
    return fail(Errc::kInvalid, "the cgroup actuator needs a clock");
  }
  EVICTD_ASSIGN_OR_RETURN(ReleaseWatch watch,
                          ReleaseWatch::create(options.max_watched, options.capacity));
  return std::unique_ptr<CgroupActuator>(new CgroupActuator(std::move(options), std::move(watch)));
}

CgroupActuator::CgroupActuator(Options options, ReleaseWatch watch)
    : options_(std::move(options)),
      table_(options_.capacity),
      watch_(std::move(watch)),
      signaller_({.clock = options_.clock,
                  .batch = options_.batch,
                  .max_processes = options_.max_processes},
                 counters_, watch_) {}

CgroupActuator::~CgroupActuator() {
  for (Eviction& eviction : table_.all()) {
    if (eviction.in_use()) {
      end_bridge(*eviction.target.get());
    }
  }
}

Result<SignalReport> CgroupActuator::begin(KillTarget& target, const Start& start, MonoTime now) {
  if (table_.find_pod(target) != nullptr) {
    return fail(Errc::kBusy, "being evicted");
  }
  Eviction* eviction = table_.add(target, start.grace, now);
  if (eviction == nullptr) {
    return fail(Errc::kExhausted, "too many");
  }
  // A target that is prepared only now has read a newer one.
  const std::optional<PidsMax> pids_max = target.prepared() ? start.pids_max : std::nullopt;
  prepare(target);
  Result<SignalReport> report = start.grace <= Duration::zero()
                                    ? kill(*eviction, now, pids_max, start.killed_by_kernel_at)
                                    : terminate(*eviction, start, now);
  signaller_.forget_foreseen();
  if (!report && report.error().code == Errc::kIo && start.killed_by_kernel_at) {
    report = finish_later(*eviction, *start.killed_by_kernel_at, now);
  }
  if (!report) {
    counters_.vanished += report.error().code == Errc::kNotFound ? 1 : 0;
    unwatch(*eviction);
    table_.drop(*eviction);
    return report;
  }
  ++counters_.evictions;
  return report;
}

void CgroupActuator::rehearse(KillTarget& target) {
  if (protection_of(target) != Protection::kNone || table_.find_pod(target) != nullptr) {
    return;
  }
  signaller_.foresee(target);
  // To ourselves, and no signal at all: the null signal of kill(2).
  const sys::CallResult<base::Fd> self = sys::open_pidfd(::getpid());
  if (self) {
    static_cast<void>(sys::send_signal(*self, 0));
  }
  // Once is worth it without a stand-by too: these calls are the longest part of a kill.
  practise();
}

void CgroupActuator::end_rehearsal() {
  signaller_.forget_foreseen();
}

std::size_t CgroupActuator::rehearsed(const KillTarget& target, std::span<pid_t> out) const {
  const bool may_begin = protection_of(target) == Protection::kNone && table_.has_room();
  return may_begin && signaller_.foreseen_target() == &target ? signaller_.foreseen(out) : 0;
}

void CgroupActuator::practise() {
  const KillTarget* const target = signaller_.foreseen_target();
  if (target == nullptr) {
    return;
  }
  practise_intent(*target, target->pids_max_now());
  practise_control(target->pids_max_.get());
  practise_control(target->kill_.get());
  signaller_.practise();
}

Result<SignalReport> CgroupActuator::cut_grace(Ticket ticket, MonoTime deadline, MonoTime now) {
  Eviction* eviction = table_.find(ticket);
  if (eviction == nullptr) {
    return fail(Errc::kNotFound, "unknown ticket");
  }
  if (eviction->killed()) {
    return fail(Errc::kInvalid, "killed already");
  }
  ++counters_.escalations;
  EvictionTable::cut_grace(*eviction, deadline, now);
  if (eviction->kill_due_at > now) {
    return SignalReport{.ticket = ticket};
  }
  Result<SignalReport> report = kill(*eviction, now);
  if (!report && report.error().code == Errc::kNotFound) {
    release(*eviction, now);
  }
  return report;
}

std::optional<MonoTime> CgroupActuator::next_deadline() const {
  return table_.next_deadline();
}

int CgroupActuator::descriptor() const {
  return watch_.descriptor();
}

std::optional<Progress> CgroupActuator::take_progress() {
  return table_.take_progress();
}

std::size_t CgroupActuator::in_flight(std::span<InFlight> out) const {
  return table_.in_flight(out);
}

void CgroupActuator::replace(KillTarget& newer) {
  Eviction* eviction = table_.find_same(newer);
  if (eviction == nullptr) {
    return;
  }
  prepare(newer);
  watch_.remove_events(eviction->target.get()->events_.get());
  newer.forks_ = eviction->target.get()->forks_;
  newer.bridge_.continue_from(eviction->target.get()->bridge_);
  eviction->target = PinnedTarget(newer);
  static_cast<void>(watch_.add_events(eviction->ticket.slot, newer.events_.get()));
}

void CgroupActuator::prepare(KillTarget& target) {
  if (target.prepared()) {
    return;
  }
  ++counters_.late_preparations;
  counters_.failed_calls += target.prepare() ? 0 : 1;
}

Protection CgroupActuator::protection_of(const KillTarget& target) const {
  if (const Protection known = target.protection(); known != Protection::kNone) {
    return known;
  }
  for (const std::vector<CgroupId>& chain : target.chains_) {
    const bool below = chain.size() > 1 && chain.front() != chain.back() &&
                       std::find(options_.roots.begin(), options_.roots.end(), chain.front()) !=
                           options_.roots.end();
    if (!below) {
      return Protection::kOutsideRoot;
    }
  }
  return Protection::kNone;
}

Failure CgroupActuator::refuse(Protection protection) {
  ++counters_.refused[static_cast<std::size_t>(protection)];
  return fail(Errc::kInvalid, std::string(reason_of(protection)));
}

Failure CgroupActuator::refuse_own(KillTarget& target) {
  target.set_protection(Protection::kOwnProcess);
  return refuse(Protection::kOwnProcess);
}

Failure CgroupActuator::no_process_signalled(std::uint64_t failed_before) const {
  return counters_.failed_calls == failed_before
             ? fail(Errc::kNotFound, "no process")
             : fail(Errc::kIo, "its processes could not be signalled");
}

Result<SignalReport> CgroupActuator::terminate(Eviction& eviction, const Start& start,
                                               MonoTime now) {
  KillTarget& target = *eviction.target.get();
  if (const Protection protection = protection_of(target); protection != Protection::kNone) {
    return refuse(protection);
  }
  SignalReport report{.ticket = eviction.ticket, .signal = SIGTERM};
  const std::uint64_t failed_before = counters_.failed_calls;
  signaller_.hold_tasks_with_next_signal(start.hold_tasks);
  if (!signaller_.signal_foreseen(target, report)) {
    if (signaller_.list(target, ListScope::kFirstHierarchy).holds_protected) {
      return refuse_own(target);
    }
    signaller_.signal_listed(target, report);
  }
  signaller_.signal_others(target, report);
  signaller_.hold_tasks_with_next_signal(false);
  counters_.opened_before_signal += report.opened;
  if (report.processes == 0) {
    return no_process_signalled(failed_before);
  }
  counters_.sigterms += report.processes;
  if (start.bridge) {
    report.bridge = set_bridge(target);
  }
  const bool told = watch_.add_events(eviction.ticket.slot, target.events_.get());
  if (!told && watch_.processes(eviction.ticket.slot) == 0) {
    eviction.look_again_at = now + kLookAgain;
  }
  table_.mark_terminating(eviction, report, now);
  return report;
}

Result<SignalReport> CgroupActuator::kill(Eviction& eviction, MonoTime now,
                                          const std::optional<PidsMax>& pids_max,
                                          std::optional<MonoTime> killed_by_kernel_at) {
  KillTarget& target = *eviction.target.get();
  if (const Protection protection = protection_of(target); protection != Protection::kNone) {
    return refuse(protection);
  }
  // On v2 alone the kill stops forks by itself.
  const int forks = target.on_v1() ? target.pids_max_.get() : -1;
  PidsMax before;
  if (target.on_v1()) {
    before = pids_max ? *pids_max : target.pids_max_now();
  }
  // If this fails, an existing limit on its tasks stays.
  ForkStop fork_stop(forks, target.forks_.in_force() ? PidsMax(forks) : before);
  base::fault_point(base::FaultPoint::kForksStopped);
  SignalReport report{.ticket = eviction.ticket, .signal = SIGKILL};
  watch_.remove_processes(eviction.ticket.slot);
  const Result<bool> all = !target.kill_ && signaller_.signal_foreseen(target, report)
                               ? signaller_.signal_rest(target, report)
                               : list_and_kill(target, report, killed_by_kernel_at);
  counters_.opened_before_signal += report.opened;
  if (!all) {
    return Failure(all.error());
  }
  fork_stop.keep();
  if (target.on_v1()) {
    target.remember_hold(before);
  }
  // Right after the signal: kernels 5.18 to 6.7 throttle large charges of dying tasks too.
  // A former value that would reclaim here is put back at the release instead.
  if (!target.bridge_.end_would_reclaim([&target] { return target.usage(); })) {
    end_bridge(target);
  }
  counters_.sigkills += report.processes;
  static_cast<void>(watch_.add_events(eviction.ticket.slot, target.events_.get()));
  eviction.look_again_at = now + (*all ? kLookAgain : kLookSoon);
  table_.mark_killed(eviction, report, now);
  return report;
}

Result<bool> CgroupActuator::list_and_kill(KillTarget& target, SignalReport& report,
                                           std::optional<MonoTime> killed_by_kernel_at) {
  const std::uint64_t failed_before = counters_.failed_calls;
  const ProcessList& listed = signaller_.list(target, ListScope::kFirstHierarchy);
  if (listed.holds_protected) {
    return refuse_own(target);
  }
  const bool whole = !listed.unread && !listed.truncated;
  if (killed_by_kernel_at && whole && signaller_.all_began_after(*killed_by_kernel_at)) {
    return fail(Errc::kNotFound, "only later processes");
  }
  // A v2 cgroup also counts processes in pid namespaces invisible to evictd.
  const bool populated = target.events_ && read_populated(target.events_.get()) == Populated::kYes;
  if (listed.pids.empty() && !populated && !target.on_v1()) {
    return fail(Errc::kNotFound, "no process");
  }
  const bool all = send_kill(target, report);
  if (report.processes == 0 && !populated) {
    return no_process_signalled(failed_before);
  }
  return all;
}

bool CgroupActuator::send_kill(KillTarget& target, SignalReport& report) {
  const auto listed = static_cast<std::uint32_t>(signaller_.listed().pids.size());
  if (!write_control(target.kill_.get(), "1")) {
    // Kernels before 5.14 lack cgroup.kill. A frozen v2 task cannot fork but still dies on SIGKILL.
    write_control(target.freeze_.get(), "1");
    signaller_.signal_listed(target, report);
    return signaller_.signal_rest(target, report);
  }
  const MonoTime killed_at = options_.clock->now();
  const bool all = !target.on_v1() || signaller_.signal_rest(target, report);
  report.method = SignalMethod::kCgroupKill;
  report.first_at = killed_at;
  report.last_at = std::max(report.last_at, killed_at);
  report.processes = std::max(report.processes, listed);
  return all;
}

}  // namespace evictd::enforce
