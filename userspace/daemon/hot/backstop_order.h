// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "daemon/hot/hot_pod.h"
#include "engine/backstop.h"
#include "evictd/usage.h"
#include "eviction/contender.h"
#include "eviction/observation.h"
#include "eviction/signal.h"
#include "probe/backstop.h"

namespace evictd::daemon {

/// Where the available value of a plan was seen.
struct PlannedSignal {
  eviction::Signal signal = eviction::Signal::kMemoryAvailable;
  eviction::Observation seen;
  NodeUsage node;
  eviction::MemoryRules rules;
};

/// The levels of `plan` as values that the kernel side reads; pods and processes are left empty.
/// nullopt if the kernel side cannot tell such a level.
[[nodiscard]] std::optional<probe::BackstopOrder> order_of(const engine::BackstopPlan& plan,
                                                           const PlannedSignal& signal);

/// `pod` as the kernel side compares it.
[[nodiscard]] probe::BackstopPod compared_pod(const HotPod& pod, const eviction::Contender& terms);

}  // namespace evictd::daemon
