// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/adopted_record.h"

#include <algorithm>
#include <chrono>

#include "eviction/decision.h"
#include "eviction/signal.h"

namespace evictd::daemon {

namespace {

/// Maximum time between an intent or a state and the record of the same eviction.
constexpr Duration kNear = std::chrono::seconds(10);

std::string_view state_of(AdoptionKind kind) {
  switch (kind) {
    case AdoptionKind::kInGrace:
    case AdoptionKind::kLeft:
    case AdoptionKind::kRefused:  // Until the record notes that.
      return "terminating";
    case AdoptionKind::kKilled:
    case AdoptionKind::kReleasing:
      return "killed";
    case AdoptionKind::kGone:
    case AdoptionKind::kUnreaped:
    case AdoptionKind::kOver:
      return "released";
  }
  return "";
}

/// The name of a pod that neither a manifest nor a rule describes (cluster::PodOrigin::kPath).
bool is_nameless(const HotPod& pod) {
  return pod.ns.empty() && pod.name == pod.uid;
}

}  // namespace

SavedEviction known_of(const HotPod& pod, const SavedEviction* saved) {
  SavedEviction known = saved == nullptr ? SavedEviction{} : *saved;
  known.uid = pod.uid;
  known.pod = pod.memory_id;
  known.below_pod_root = pod.below_pod_root;
  if (!is_nameless(pod) || known.name.empty()) {
    known.ns = pod.ns;
    known.name = pod.name;
  }
  return known;
}

exporting::EvictionRecord make_adopted_record(const SavedEviction& known, const Adoption& adoption,
                                              WallTime at) {
  exporting::EvictionRecord record;
  record.at = at;
  record.ns = known.ns;
  record.name = known.name;
  record.uid = known.uid;
  record.trigger = "restart";
  record.outcome = eviction::to_string(known.escalated ? eviction::Outcome::kEscalated
                                                       : eviction::Outcome::kEvicted);
  record.signal = known.signal;
  record.threshold = known.threshold;
  record.local_limit = known.local_limit;
  if (!known.signal.empty()) {
    record.resource = eviction::to_string(
        eviction::resource_of(eviction::signal_from_text(known.signal, eviction::Compat::k1_32)));
  } else if (!known.local_limit.empty()) {
    record.resource = eviction::to_string(eviction::Resource::kEphemeralStorage);
  }
  const Duration grace = std::max(adoption.kill_due_at - adoption.began_at, Duration::zero());
  record.grace_seconds = std::chrono::ceil<std::chrono::seconds>(grace).count();
  record.state = state_of(adoption.kind);
  record.timeline.decide = adoption.began_at;
  const bool may_have_ended_by_itself = has_ended(adoption.kind) && !known.killed;
  if (adoption.killed_at != MonoTime{} && !may_have_ended_by_itself) {
    record.timeline.killed = adoption.killed_at;
  }
  return record;
}

bool is_open(const exporting::EvictionRecord& record) {
  return record.state == "terminating" || record.state == "killed";
}

bool is_record_of(const exporting::EvictionRecord& record, const std::string& uid,
                  const Adoption& adoption, MonoTime now) {
  const std::optional<MonoTime>& signal = record.timeline.signal;
  const bool open = is_open(record);
  // The end of an eviction without a process may be recorded already.
  if (!signal || record.dry_run || record.uid != uid || !(open || has_ended(adoption.kind))) {
    return false;
  }
  // A cut of the grace period is a later record of an eviction that began before it.
  return *signal <= now && *signal >= adoption.began_at - (open ? kNear : Duration::zero());
}

}  // namespace evictd::daemon
