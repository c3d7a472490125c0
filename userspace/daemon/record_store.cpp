// SPDX-License-Identifier: Apache-2.0
#include "daemon/record_store.h"

#include <algorithm>

namespace evictd::daemon {

namespace {

/// What may stay charged to a dead pod (kernel memory of its cgroups) without being its processes'.
constexpr Bytes kRemainder = 1_MiB;

}  // namespace

const exporting::EvictionRecord& RecordStore::add(exporting::EvictionRecord record, CgroupId pod) {
  record.id = next_id_++;
  return go_on_with(std::move(record), pod);
}

const exporting::EvictionRecord& RecordStore::go_on_with(exporting::EvictionRecord record,
                                                         CgroupId pod) {
  if (kept_.size() == kKept) {
    kept_.pop_front();
  }
  kept_.push_back({.pod = pod, .record = std::move(record)});
  return kept_.back().record;
}

const exporting::EvictionRecord& RecordStore::add_pass(exporting::EvictionRecord record) {
  record.id = next_id_++;
  if (passes_.size() == kKept) {
    passes_.pop_front();
  }
  passes_.push_back(std::move(record));
  return passes_.back();
}

const exporting::EvictionRecord* RecordStore::note(const EvictionStep& message) {
  const enforce::Progress& step = message.progress;
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& kept) {
    return kept.pod == step.pod && kept.record.dry_run == message.dry_run;
  });
  if (found == kept_.rend()) {
    return nullptr;
  }
  exporting::EvictionRecord& record = found->record;
  record.state = enforce::to_string(step.state);
  switch (step.state) {
    case enforce::EvictionState::kTerminating:
    case enforce::EvictionState::kExceededGrace:
      break;
    case enforce::EvictionState::kKilled:
      record.timeline.killed = step.at;
      break;
    case enforce::EvictionState::kReleased:
      record.timeline.exited = step.at;
      if (message.usage.value >= 0) {
        record.remaining_bytes = message.usage.value;
      }
      if (message.usage < kRemainder) {
        record.timeline.freed = step.at;
      }
      break;
  }
  return &record;
}

void RecordStore::note_release(CgroupId pod, std::vector<exporting::RecordedRelease> rows) {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& kept) {
    return kept.pod == pod && !kept.record.dry_run;
  });
  if (found != kept_.rend()) {
    found->record.release = std::move(rows);
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
