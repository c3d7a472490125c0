// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_store.h"

#include <algorithm>

#include "eviction/decision.h"
#include "eviction/message.h"

namespace evictd::daemon {

namespace {

/// What may stay charged to a dead pod (kernel memory of its cgroups) without belonging to its
/// processes.
constexpr Bytes kRemainder = 1_MiB;

bool is_escalation(const exporting::EvictionRecord& record) {
  return record.outcome == eviction::to_string(eviction::Outcome::kEscalated);
}

/// A kubelet reports it once, on the eviction: it knows no escalation.
void add_exceeded_grace_event(exporting::EvictionRecord& record) {
  if (!is_escalation(record)) {
    record.events.push_back({.on = "pod",
                             .reason = std::string(eviction::kExceededGraceReason),
                             .message = std::string(eviction::kExceededGraceMessage)});
  }
}

/// Whether evictd sent SIGKILL. The kernel side alone may have: later signals have a later time.
bool was_killed(const exporting::EvictionRecord& record) {
  const bool by_kernel_alone =
      record.method == enforce::to_string(enforce::SignalMethod::kKernel) &&
      record.timeline.killed == record.timeline.first_signal;
  return record.timeline.killed && !by_kernel_alone;
}

void take_step(const EvictionStep& message, exporting::EvictionRecord& record) {
  const enforce::Progress& step = message.progress;
  record.state = enforce::to_string(step.state);
  switch (step.state) {
    case enforce::EvictionState::kTerminating:
      break;
    case enforce::EvictionState::kExceededGrace:
      record.not_killed = was_killed(record) ? std::string_view() : step.not_killed;
      if (record.not_killed.empty()) {
        add_exceeded_grace_event(record);
      }
      break;
    case enforce::EvictionState::kKilled:
      record.timeline.killed = step.at;
      break;
    case enforce::EvictionState::kReleased:
      record.timeline.exited = step.at;
      if (message.usage.value >= 0) {
        record.remaining_bytes = message.usage.value;
      }
      if (message.tasks >= 0) {
        record.unreaped_tasks = message.tasks;
      }
      if (message.usage < kRemainder) {
        record.timeline.freed = step.at;
      }
      break;
  }
}

}  // namespace

const exporting::EvictionRecord& RecordStore::add(exporting::EvictionRecord record, CgroupId pod) {
  record.id = next_id_++;
  record.node = node_;
  link(record, pod);
  return add_adopted(std::move(record), pod);
}

void RecordStore::link(exporting::EvictionRecord& record, CgroupId pod) {
  if (!is_escalation(record)) {
    return;
  }
  const std::vector<exporting::EvictionRecord*> before = newest(pod, record.dry_run);
  if (before.empty() || before.front()->uid != record.uid ||
      before.front()->state != "terminating") {
    return;
  }
  const exporting::EvictionRecord& cut = *before.front();
  record.escalates = cut.id;
  // For an eviction that an earlier evictd began, only the time of the decision is known.
  record.timeline.grace_began = cut.timeline.grace_began ? cut.timeline.grace_began
                                : cut.timeline.signal    ? cut.timeline.signal
                                                         : cut.timeline.decide;
  before.front()->escalated_by = record.id;
  for (exporting::EvictionRecord* const earlier : before) {
    earlier->state = record.state;
    earlier->timeline.killed = record.timeline.killed;
  }
}

std::vector<exporting::EvictionRecord*> RecordStore::newest(CgroupId pod, bool dry_run) {
  std::vector<exporting::EvictionRecord*> found;
  std::for_each(kept_.rbegin(), kept_.rend(), [&](Kept& kept) {
    const bool wanted = found.empty() ? kept.pod == pod && kept.record.dry_run == dry_run
                                      : found.back()->escalates == kept.record.id;
    if (wanted) {
      found.push_back(&kept.record);
    }
  });
  return found;
}

std::vector<const exporting::EvictionRecord*> RecordStore::cut_by(
    const exporting::EvictionRecord& escalation) const {
  std::vector<const exporting::EvictionRecord*> cut;
  std::optional<std::uint64_t> wanted = escalation.escalates;
  for (auto kept = kept_.rbegin(); kept != kept_.rend() && wanted; ++kept) {
    if (kept->record.id == *wanted) {
      cut.insert(cut.begin(), &kept->record);
      wanted = kept->record.escalates;
    }
  }
  return cut;
}

const exporting::EvictionRecord& RecordStore::add_adopted(exporting::EvictionRecord record,
                                                          CgroupId pod) {
  if (kept_.size() == kKept) {
    kept_.pop_front();
  }
  kept_.push_back({.pod = pod, .record = std::move(record)});
  return kept_.back().record;
}

const exporting::EvictionRecord& RecordStore::add_pass(exporting::EvictionRecord record) {
  record.id = next_id_++;
  record.node = node_;
  if (passes_.size() == kKept) {
    passes_.pop_front();
  }
  passes_.push_back(std::move(record));
  return passes_.back();
}

const exporting::EvictionRecord* RecordStore::apply_step(const EvictionStep& message) {
  const std::vector<exporting::EvictionRecord*> found =
      newest(message.progress.pod, message.dry_run);
  for (exporting::EvictionRecord* const record : found) {
    take_step(message, *record);
  }
  return found.empty() ? nullptr : found.front();
}

const exporting::EvictionRecord* RecordStore::newest_of(CgroupId pod) const {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& kept) {
    return kept.pod == pod && !kept.record.dry_run;
  });
  return found == kept_.rend() ? nullptr : &found->record;
}

void RecordStore::set_still_charged(CgroupId pod, Bytes left) {
  for (exporting::EvictionRecord* const record : newest(pod, /*dry_run=*/false)) {
    record->state = exporting::kStillCharged;
    record->still_charged_bytes = left.value;
  }
}

void RecordStore::set_release(CgroupId pod, const std::vector<exporting::RecordedRelease>& rows) {
  for (exporting::EvictionRecord* const record : newest(pod, /*dry_run=*/false)) {
    record->release = rows;
  }
}

std::deque<exporting::EvictionRecord> RecordStore::latest() const {
  std::deque<exporting::EvictionRecord> latest;
  for (const Kept& kept : kept_) {
    latest.push_back(kept.record);
  }
  return latest;
}

}  // namespace evictd::daemon
