// SPDX-License-Identifier: Apache-2.0
#include "eviction/admit.h"

#include "eviction/message.h"

namespace evictd::eviction {

Admission admit(const PodFacts& pod, ConditionSet conditions) {
  if (conditions.empty() || pod.is_critical) {
    return {};
  }
  ConditionSet memory_only;
  memory_only.add(Condition::kMemoryPressure);
  if (conditions == memory_only &&
      (pod.qos != QosClass::kBestEffort || pod.tolerates_memory_pressure)) {
    return {};
  }
  return {false, std::string(kEvictedReason), admission_text(conditions)};
}

}  // namespace evictd::eviction
