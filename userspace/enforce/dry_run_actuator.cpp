// SPDX-License-Identifier: Apache-2.0
#include "enforce/dry_run_actuator.h"

#include <csignal>

namespace evictd::enforce {

DryRunActuator::DryRunActuator(Options options) : options_(options), table_(options.capacity) {}

Result<SignalReport> DryRunActuator::begin(KillTarget& target, const Start& start, MonoTime now) {
  if (target.protection() != Protection::kNone) {
    return refuse(target.protection());
  }
  if (table_.find_pod(target) != nullptr) {
    return fail(Errc::kBusy, "being evicted");
  }
  Eviction* eviction = table_.add(target, start.grace, now);
  if (eviction == nullptr) {
    return fail(Errc::kExhausted, "too many");
  }
  ++counters_.evictions;
  return pretend(*eviction, start.grace <= Duration::zero() ? SIGKILL : SIGTERM, now);
}

Result<SignalReport> DryRunActuator::cut_grace(Ticket ticket, MonoTime deadline, MonoTime now) {
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
    return SignalReport{.ticket = ticket, .method = SignalMethod::kDryRun};
  }
  if (const Protection protection = eviction->target.get()->protection();
      protection != Protection::kNone) {
    return refuse(protection);
  }
  return pretend(*eviction, SIGKILL, now);
}

std::optional<MonoTime> DryRunActuator::next_deadline() const {
  return table_.next_deadline();
}

void DryRunActuator::on_deadline(MonoTime now) {
  for (Eviction& eviction : table_.all()) {
    if (!eviction.in_use()) {
      continue;
    }
    if (!eviction.killed() && eviction.kill_due_at <= now) {
      kill_at_deadline(eviction, now);
    } else if (eviction.look_again_at && *eviction.look_again_at <= now) {
      ++counters_.released;
      table_.mark_released(eviction, now);
    }
  }
}

void DryRunActuator::kill_at_deadline(Eviction& eviction, MonoTime now) {
  const Protection protection = eviction.target.get()->protection();
  if (protection == Protection::kNone) {
    static_cast<void>(pretend(eviction, SIGKILL, now));
    return;
  }
  static_cast<void>(refuse(protection));
  table_.mark_not_killed(eviction, to_string(protection), now);
  table_.drop(eviction);
}

void DryRunActuator::on_ready(MonoTime /*now*/) {}

void DryRunActuator::on_emptied(CgroupId cgroup, MonoTime now) {
  if (Eviction* eviction = table_.find_cgroup(cgroup)) {
    ++counters_.released;
    table_.mark_released(*eviction, now);
  }
}

std::optional<Progress> DryRunActuator::take_progress() {
  return table_.take_progress();
}

std::size_t DryRunActuator::in_flight(std::span<InFlight> out) const {
  return table_.in_flight(out);
}

void DryRunActuator::replace(KillTarget& newer) {
  if (Eviction* eviction = table_.find_same(newer)) {
    eviction->target = PinnedTarget(newer);
  }
}

void DryRunActuator::end_pretended(Ticket ticket, MonoTime now) {
  if (Eviction* eviction = table_.find(ticket)) {
    ++counters_.released;
    table_.mark_released(*eviction, now);
  }
}

Failure DryRunActuator::refuse(Protection protection) {
  ++counters_.refused[static_cast<std::size_t>(protection)];
  return fail(Errc::kInvalid, std::string(reason_of(protection)));
}

SignalReport DryRunActuator::pretend(Eviction& eviction, int signal, MonoTime now) {
  const MonoTime stamp = options_.clock->now();
  const SignalReport report{.ticket = eviction.ticket,
                            .signal = signal,
                            .method = SignalMethod::kDryRun,
                            .first_at = stamp,
                            .last_at = stamp};
  if (signal == SIGTERM) {
    table_.mark_terminating(eviction, report, now);
    return report;
  }
  // Never given up: an omitted kill cannot take too long.
  eviction.give_up_at = MonoTime::max();
  eviction.look_again_at = now + options_.hold;
  table_.mark_killed(eviction, report, now);
  return report;
}

}  // namespace evictd::enforce
