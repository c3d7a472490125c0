// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/backstop_order.h"

#include <algorithm>
#include <cstdint>

#include "daemon/shared/node_memory.h"

namespace evictd::daemon {

namespace {

/// What the kernel side reads, and the sum of that and the available value.
struct Source {
  probe::Signal signal = probe::Signal::kCgroupWorkingSet;
  std::int64_t sum = 0;
  /// By how much the sum may move until the plan expires.
  std::int64_t slack = 0;
};

std::optional<Source> planned_source(const PlannedSignal& planned) {
  if (planned.signal == eviction::Signal::kAllocatableMemoryAvailable) {
    return Source{.sum = planned.seen.capacity};
  }
  const NodeMemory memory = node_memory(planned.node, planned.seen, planned.rules);
  if (memory.capacity.value < 0) {
    return std::nullopt;
  }
  return Source{.signal = memory.signal, .sum = memory.sum.value, .slack = memory.slack.value};
}

}  // namespace

std::optional<probe::BackstopOrder> order_of(const engine::BackstopPlan& plan,
                                             const PlannedSignal& signal) {
  const std::optional<Source> source = planned_source(signal);
  if (!source) {
    return std::nullopt;
  }
  // With a moving sum it fires later, and up to less: the level is reached for certain.
  const std::int64_t least = source->sum - plan.most_available + source->slack;
  const std::int64_t most = source->sum - plan.least_available - source->slack;
  if (least < 0 || most < least) {
    return std::nullopt;
  }
  probe::BackstopOrder order;
  order.signal = source->signal;
  order.slot = kPodRootSlot;
  order.least_value = static_cast<std::uint64_t>(least);
  order.most_value = static_cast<std::uint64_t>(most);
  order.from_value =
      static_cast<std::uint64_t>(std::max<std::int64_t>(source->sum - signal.seen.available, 0));
  order.from_at = signal.seen.time.value_or(plan.expires_at - engine::kBackstopLasts);
  order.least_rate = static_cast<std::uint64_t>(std::max<std::int64_t>(plan.least_rate, 0));
  order.least_working_set =
      static_cast<std::uint64_t>(std::max<std::int64_t>(plan.least_working_set, 0));
  order.expires_at = plan.expires_at;
  return order;
}

probe::BackstopPod compared_pod(const HotPod& pod, const eviction::Contender& terms) {
  return {.slot = pod.slot,
          .memory_id = pod.memory_id.id,
          .priority = terms.priority,
          .exceeds_from = terms.exceeds_from,
          .lead = terms.lead};
}

}  // namespace evictd::daemon
