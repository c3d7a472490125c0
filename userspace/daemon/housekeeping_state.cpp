// SPDX-License-Identifier: Apache-2.0
// What survives a restart: going on with what the last run left, and keeping it for the next.
#include "daemon/adoption.h"
#include "daemon/housekeeping.h"

namespace evictd::daemon {

namespace {

const char* text_of(AdoptionKind kind) {
  switch (kind) {
    case AdoptionKind::kInGrace:
      return "in its grace";
    case AdoptionKind::kKilled:
      return "killed";
    case AdoptionKind::kReleasing:
      return "dying";
  }
  return "";
}

}  // namespace

void Housekeeping::go_on() {
  const FoundState& found = keeper_->found();
  wishes_ = found.state.wishes;
  if (found.state.configured_dry_run != config_->settings().dry_run) {
    // It is the configuration that was changed last.
    wishes_.dry_run.reset();
  }
  keeper_->note_wishes(wishes_, config_->settings().dry_run);
  if (wishes_ != OperatorWishes{}) {
    send(SetWishes{.wishes = wishes_, .generation = ++wishes_generation_});
  }
  const MonoTime now = options_.clock->now();
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->target) {
      adopt(*listed.hot, now);
    }
  }
}

void Housekeeping::adopt(const HotPod& pod, MonoTime now) {
  const std::vector<SavedEviction>& left = keeper_->found().state.in_flight;
  const auto saved = std::find_if(left.begin(), left.end(), [&](const SavedEviction& one) {
    return one.pod == pod.memory_id && one.uid == pod.uid;
  });
  const FoundPod found{.inhabitants = enforce::look_at_inhabitants(*pod.target),
                       .intent = enforce::read_intent(*pod.target),
                       .saved = saved == left.end() ? nullptr : &*saved};
  const std::optional<Adoption> adoption = adoption_of(found, now);
  if (!adoption) {
    if (found.intent) {
      enforce::clear_intent(*pod.target);
    }
    return;
  }
  if (adoption->kind != AdoptionKind::kReleasing) {
    keeper_->note_adopted({.uid = pod.uid,
                           .pod = pod.memory_id,
                           .hard = adoption->hard,
                           .killed = adoption->kind == AdoptionKind::kKilled,
                           .began_at = adoption->began_at,
                           .kill_due_at = adoption->kill_due_at,
                           .killed_at = adoption->killed_at});
  }
  options_.log->info("goes on with an eviction that was under way",
                     {{"pod", pod.ns + "/" + pod.name},
                      {"uid", pod.uid},
                      {"found", std::string(text_of(adoption->kind))}});
  send(AdoptEviction{.slot = pod.slot, .adoption = *adoption});
}

void Housekeeping::keep_state() {
  keeper_->keep(options_.clock->now());
  const StateWriter::Counters counters = keeper_->counters();
  if (!counters.last_failure.empty() && !state_failing_) {
    options_.log->warn(counters.last_failure +
                       ", continuing without a state file: a restart would forget timers");
  }
  state_failing_ = !counters.last_failure.empty();
}

}  // namespace evictd::daemon
