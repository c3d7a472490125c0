// SPDX-License-Identifier: Apache-2.0
// From the signal to the release: what the actuator does about pods that it has signalled.
#include <csignal>
#include <optional>

#include "base/fault_point.h"
#include "enforce/cgroup_actuator.h"
#include "enforce/pod_files.h"

namespace evictd::enforce {

namespace {

/// How often a killed pod is looked at once nobody waits for it any more: the process hangs in the
/// kernel.
constexpr Duration kLookSeldom = std::chrono::seconds{2};

}  // namespace

void CgroupActuator::on_deadline(MonoTime now) {
  for (Eviction& eviction : table_.all()) {
    if (!eviction.in_use()) {
      continue;
    }
    if (!eviction.killed() && eviction.kill_due_at <= now) {
      kill_at_deadline(eviction, now);
    } else if (eviction.look_again_at && *eviction.look_again_at <= now) {
      look(eviction, now);
    }
    if (eviction.in_use() && eviction.state == EvictionState::kKilled &&
        eviction.give_up_at <= now) {
      ++counters_.exceeded_grace;
      table_.mark_exceeded(eviction, now);
    }
  }
}

SignalReport CgroupActuator::finish_later(Eviction& eviction, MonoTime killed_by_kernel_at,
                                          MonoTime now) {
  eviction.killed_by_kernel_at = killed_by_kernel_at;
  static_cast<void>(EvictionTable::put_off(eviction, now));
  return {.ticket = eviction.ticket,
          .signal = SIGKILL,
          .method = SignalMethod::kKernel,
          .first_at = killed_by_kernel_at,
          .last_at = killed_by_kernel_at};
}

void CgroupActuator::kill_at_deadline(Eviction& eviction, MonoTime now) {
  base::fault_point(base::FaultPoint::kGraceOver);
  const Result<SignalReport> report =
      kill(eviction, now, std::nullopt, eviction.killed_by_kernel_at);
  base::fault_point(base::FaultPoint::kGraceKilled);
  if (report) {
    return;
  }
  if (report.error().code == Errc::kNotFound) {
    // Who came since a kill of the kernel side is no victim.
    release(eviction, eviction.killed_by_kernel_at.value_or(now));
    return;
  }
  if (report.error().code == Errc::kIo && EvictionTable::put_off(eviction, now)) {
    return;
  }
  // It became protected during its grace period, or no process of it can be signalled: evictd
  // leaves it alone, and no pass waits for it.
  const Protection protection = protection_of(*eviction.target.get());
  unwatch(eviction);
  give_forks_back(eviction);
  end_bridge(*eviction.target.get());
  table_.mark_not_killed(
      eviction, protection == Protection::kNone ? kUnreachable : to_string(protection), now);
  table_.drop(eviction);
}

void CgroupActuator::on_ready(MonoTime now) {
  while (const std::optional<std::uint32_t> slot = watch_.take()) {
    Eviction& eviction = table_.all()[*slot];
    if (eviction.in_use()) {
      look(eviction, now);
    }
  }
}

void CgroupActuator::on_emptied(CgroupId cgroup, MonoTime now) {
  if (Eviction* eviction = table_.find_cgroup(cgroup)) {
    look(*eviction, now);
  }
}

void CgroupActuator::look(Eviction& eviction, MonoTime now) {
  KillTarget& target = *eviction.target.get();
  eviction.look_again_at.reset();
  bool v2_empty = true;
  if (target.events_) {
    const Populated populated = read_populated(target.events_.get());
    v2_empty = populated != Populated::kYes;
    if (populated == Populated::kGone) {
      watch_.remove_events(target.events_.get());
    }
  }
  if (!v2_empty && !eviction.killed()) {
    return;  // The next change of cgroup.events follows.
  }
  if (v2_empty && !target.on_v1()) {
    release(eviction, now);
    return;
  }
  const ProcessList& rest = signaller_.list(target, ListScope::kAll);
  if (v2_empty && rest.pids.empty() && !rest.unread) {
    release(eviction, now);
    return;
  }
  look_at_rest(eviction, rest, now);
}

void CgroupActuator::look_at_rest(Eviction& eviction, const ProcessList& rest, MonoTime now) {
  const std::uint32_t slot = eviction.ticket.slot;
  watch_.remove_processes(slot);
  bool all = true;
  if (rest.holds_protected) {
    ++counters_.refused[static_cast<std::size_t>(Protection::kOwnProcess)];
  } else if (eviction.killed()) {
    SignalReport again{.ticket = eviction.ticket, .signal = SIGKILL};
    all = send_kill(*eviction.target.get(), again);
  } else {
    signaller_.watch_listed(slot);
  }
  // During the grace period the event is enough; a kill is followed up.
  if (eviction.state == EvictionState::kExceededGrace) {
    eviction.look_again_at = now + kLookSeldom;
  } else if (eviction.killed() || watch_.processes(slot) == 0) {
    eviction.look_again_at = now + (all ? kLookAgain : kLookSoon);
  }
}

void CgroupActuator::release(Eviction& eviction, MonoTime now) {
  unwatch(eviction);
  give_forks_back(eviction);
  end_bridge(*eviction.target.get());
  ++counters_.released;
  table_.mark_released(eviction, now);
}

void CgroupActuator::give_forks_back(const Eviction& eviction) {
  counters_.failed_calls += eviction.target.get()->give_forks_back() ? 0 : 1;
}

BridgeReport CgroupActuator::set_bridge(KillTarget& target) {
  const BridgeReport report = target.bridge_.set([&target] { return target.usage(); });
  if (report.state == BridgeState::kSet) {
    ++counters_.bridges_set;
  } else {
    ++counters_.bridges_not_set[static_cast<std::size_t>(report.state)];
  }
  return report;
}

void CgroupActuator::end_bridge(KillTarget& target) {
  switch (target.bridge_.put_back()) {
    case BridgeEnd::kNothing:
      break;
    case BridgeEnd::kPutBack:
      ++counters_.bridges_put_back;
      break;
    case BridgeEnd::kFailed:
      ++counters_.failed_calls;
      break;
  }
}

void CgroupActuator::unwatch(const Eviction& eviction) {
  watch_.remove_processes(eviction.ticket.slot);
  watch_.remove_events(eviction.target.get()->events_.get());
}

}  // namespace evictd::enforce
