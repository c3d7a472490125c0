// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "eviction/pod_facts.h"
#include "eviction/signal.h"

namespace evictd::eviction {

struct Admission {
  bool admitted = true;
  /// Both empty when admitted.
  std::string reason;
  std::string message;

  bool operator==(const Admission&) const = default;
};

/// Whether a node with these conditions takes the pod. No condition takes all, a critical pod is
/// always taken; memory pressure alone refuses BestEffort pods that do not tolerate it; any other
/// condition refuses all.
[[nodiscard]] Admission admit(const PodFacts& pod, ConditionSet conditions);

}  // namespace evictd::eviction
