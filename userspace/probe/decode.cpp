// SPDX-License-Identifier: Apache-2.0
#include "probe/decode.h"

#include <algorithm>
#include <cstring>

#include "evictd/abi/event.h"

namespace evictd::probe {
namespace {

static_assert(static_cast<std::uint32_t>(Signal::kCgroupWorkingSet) ==
              EVICTD_SIGNAL_CGROUP_WORKING_SET);
static_assert(static_cast<std::uint32_t>(Signal::kCgroupUsage) == EVICTD_SIGNAL_CGROUP_USAGE);
static_assert(static_cast<std::uint32_t>(Signal::kCgroupTasks) == EVICTD_SIGNAL_CGROUP_TASKS);
static_assert(static_cast<std::uint32_t>(Signal::kNodeWorkingSet) ==
              EVICTD_SIGNAL_NODE_WORKING_SET);
static_assert(static_cast<std::uint32_t>(Signal::kNodeTasks) == EVICTD_SIGNAL_NODE_TASKS);
static_assert(static_cast<std::uint32_t>(Signal::kNodeTaken) == EVICTD_SIGNAL_NODE_TAKEN);
static_assert(static_cast<std::uint32_t>(Signal::kNodeReserve) == EVICTD_SIGNAL_NODE_RESERVE);
static_assert(kNodeCeiling == EVICTD_NODE_CEILING);
static_assert(static_cast<std::uint32_t>(Origin::kResync) == EVICTD_ORIGIN_RESYNC);
static_assert(static_cast<std::uint32_t>(CgroupChange::kEmptied) == EVICTD_CGROUP_EMPTIED);
static_assert(static_cast<std::uint32_t>(EventKind::kThreshold) == EVICTD_EVENT_THRESHOLD);
static_assert(static_cast<std::uint32_t>(EventKind::kStall) == EVICTD_EVENT_STALL);
static_assert(static_cast<std::uint32_t>(EventKind::kCgroup) == EVICTD_EVENT_CGROUP);
static_assert(static_cast<std::uint32_t>(EventKind::kOomKill) == EVICTD_EVENT_OOM);
static_assert(static_cast<std::uint32_t>(EventKind::kApproach) == EVICTD_EVENT_APPROACH);
static_assert(kEventKinds == EVICTD_EVENT_KINDS);
static_assert(kNoSlot == EVICTD_NO_SLOT);

CgroupId cgroup_id(const evictd_cgroup_key& key) {
  return CgroupId{.hierarchy = key.hierarchy, .id = key.id};
}

Duration duration(std::uint64_t ns) {
  return Duration{static_cast<std::int64_t>(ns)};
}

bool deliver(const evictd_threshold_event& event, MonoTime at, EventSink& sink) {
  if (event.signal >= EVICTD_SIGNALS || event.origin > EVICTD_ORIGIN_RESYNC || event.above > 1) {
    return false;
  }
  sink.on_threshold({.threshold_id = event.threshold_id,
                     .signal = static_cast<Signal>(event.signal),
                     .direction = event.above != 0 ? Direction::kUp : Direction::kDown,
                     .origin = static_cast<Origin>(event.origin),
                     .cgroup = cgroup_id(event.cgroup),
                     .value = event.value,
                     .threshold_value = event.threshold_value,
                     .at = at});
  return true;
}

bool deliver(const evictd_stall_event& event, MonoTime at, EventSink& sink) {
  sink.on_stall({.slot = event.slot,
                 .generation = event.generation,
                 .stalled = duration(event.stall_ns),
                 .window = duration(event.window_ns),
                 .total = duration(event.total_ns),
                 .at = at});
  return true;
}

bool deliver(const evictd_cgroup_event& event, MonoTime at, EventSink& sink) {
  if (event.change > EVICTD_CGROUP_EMPTIED || event.path_size > EVICTD_PATH_LEN) {
    return false;
  }
  const std::size_t length = event.path_size == 0 ? 0 : event.path_size - 1;
  sink.on_cgroup({.change = static_cast<CgroupChange>(event.change),
                  .cgroup = cgroup_id(event.cgroup),
                  .parent_id = event.parent_id,
                  .root_id = event.root_id,
                  .depth = event.depth,
                  .path = {event.path, strnlen(event.path, length)},
                  .path_cut = event.path_size == EVICTD_PATH_LEN,
                  .at = at});
  return true;
}

bool deliver(const evictd_oom_event& event, MonoTime at, EventSink& sink) {
  sink.on_oom_kill({.pid = event.pid,
                    .memory = cgroup_id(event.memory),
                    .slot = event.slot,
                    .comm = {event.comm, strnlen(event.comm, EVICTD_COMM_LEN)},
                    .at = at});
  return true;
}

bool deliver(const evictd_approach_event& event, MonoTime at, EventSink& sink) {
  if (event.signal >= EVICTD_SIGNALS) {
    return false;
  }
  sink.on_approach({.signal = static_cast<Signal>(event.signal),
                    .cgroup = cgroup_id(event.cgroup),
                    .distance = event.distance,
                    .rate = event.rate,
                    .cpu = event.cpu,
                    .at = at});
  return true;
}

template <typename Record>
bool decode_as(const void* record, std::size_t size, MonoTime at, EventSink& sink) {
  return size >= sizeof(Record) && deliver(*static_cast<const Record*>(record), at, sink);
}

}  // namespace

Decoded decode(const void* record, std::size_t size, const base::KernelClock& clock,
               EventSink& sink) {
  if (size < sizeof(evictd_event_header)) {
    return {};
  }
  const auto& header = *static_cast<const evictd_event_header*>(record);
  if (header.kind >= EVICTD_EVENT_KINDS || header.size != size) {
    return {};
  }
  const auto kind = static_cast<EventKind>(header.kind);
  const MonoTime at = clock.moment(header.ktime_ns);
  switch (kind) {
    case EventKind::kThreshold:
      return {.ok = decode_as<evictd_threshold_event>(record, size, at, sink), .kind = kind};
    case EventKind::kStall:
      return {.ok = decode_as<evictd_stall_event>(record, size, at, sink), .kind = kind};
    case EventKind::kCgroup:
      return {.ok = decode_as<evictd_cgroup_event>(record, size, at, sink), .kind = kind};
    case EventKind::kOomKill:
      return {.ok = decode_as<evictd_oom_event>(record, size, at, sink), .kind = kind};
    case EventKind::kApproach:
      return {.ok = decode_as<evictd_approach_event>(record, size, at, sink), .kind = kind};
  }
  return {};
}

}  // namespace evictd::probe
