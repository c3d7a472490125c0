// SPDX-License-Identifier: Apache-2.0
// Going on with evictions that an earlier process of ours began.
#include "enforce/cgroup_actuator.h"

namespace evictd::enforce {

void CgroupActuator::take_over_hold(KillTarget& target, const Adoption& adoption) {
  const PidsMax now(target.pids_max_.get());
  const bool stopped = target.on_v1() && now.word() == "0";
  if (stopped || (adoption.hold_tasks && now.word() != adoption.pids_max.word())) {
    target.remember_hold(adoption.pids_max.text().empty() ? PidsMax("max") : adoption.pids_max);
  } else if (adoption.hold_tasks && adoption.state == EvictionState::kTerminating) {
    // It had written the intent, but sent no signal.
    ++(target.hold_tasks() ? counters_.tasks_held : counters_.tasks_not_held);
  }
}

Result<Ticket> CgroupActuator::adopt(KillTarget& target, const Adoption& adoption, MonoTime now) {
  if (table_.find_pod(target) != nullptr) {
    return fail(Errc::kBusy, "being evicted");
  }
  if (const Protection protection = protection_of(target); protection != Protection::kNone) {
    return refuse(protection);
  }
  Eviction* const eviction = table_.add(target, adoption.kill_due_at - now, now);
  if (eviction == nullptr) {
    return fail(Errc::kExhausted, "too many");
  }
  EvictionTable::place(*eviction, adoption);
  prepare(target);
  take_over_hold(target, adoption);
  const bool told = watch_.add_events(eviction->ticket.slot, target.events_.get());
  if (eviction->killed()) {
    eviction->look_again_at = now;
  } else if (!told) {
    // Its processes are watched one by one, as after evictd's own SIGTERM.
    static_cast<void>(signaller_.list(target, ListScope::kAll));
    signaller_.watch_listed(eviction->ticket.slot);
  }
  return eviction->ticket;
}

}  // namespace evictd::enforce
