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

/// Whether a node with these conditions admits the pod. Without conditions it admits all pods.
/// Critical pods are always admitted. Memory pressure alone refuses BestEffort pods that do not
/// tolerate it. Any other condition refuses all other pods.
[[nodiscard]] Admission admit(const PodFacts& pod, ConditionSet conditions);

}  // namespace evictd::eviction
