// SPDX-License-Identifier: Apache-2.0
#include "engine/agenda.h"

#include <algorithm>

namespace evictd::engine {

void Agenda::want(PassTrigger trigger) {
  if (!wanted_ || *wanted_ == PassTrigger::kApproach ||
      (cadence_of(*wanted_) == eviction::Cadence::kEventOnly &&
       trigger != PassTrigger::kApproach)) {
    wanted_ = trigger;
  }
}

void Agenda::want_what_is_due() {
  if (turn_at_ >= next_regular_) {
    want(PassTrigger::kRegular);
  } else if (decision_deadline_ && turn_at_ >= *decision_deadline_) {
    want(PassTrigger::kDeadline);
  }
}

void Agenda::plan_regular(eviction::Cadence cadence, MonoTime now, Duration interval) {
  const MonoTime next = now + interval;
  next_regular_ = cadence == eviction::Cadence::kRegular ? next : std::min(next_regular_, next);
}

void Agenda::resumed(const std::optional<MonoTime>& deadline, MonoTime now) {
  const bool sooner = deadline && decision_deadline_ && *deadline < *decision_deadline_;
  if (!decision_deadline_ || *decision_deadline_ <= now || sooner) {
    decision_deadline_ = deadline;
  }
}

}  // namespace evictd::engine
