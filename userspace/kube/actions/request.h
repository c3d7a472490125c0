// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "evictd/time.h"
#include "kube/actions/entry.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// The form in which a step is requested.
struct RequestForm {
  /// API version of pods/eviction.
  enum class Policy { kV1, kV1Beta1 };
  std::string node;
  Policy policy = Policy::kV1;
  /// Deletes the pod, regardless of disruption budgets.
  bool deletes = false;
  /// Posts a counted event again as a new object: the old object has expired.
  bool posts_again = false;
};

/// Builds the request for the next step of an entry. The entry must have one. Pure.
[[nodiscard]] Ask make_request(const Entry& entry, const RequestForm& form, WallTime now);

/// Seconds left of an entry's grace period. At least 1, so that the API server waits until the
/// kubelet has seen the pod terminate.
[[nodiscard]] std::int64_t grace_left(const Entry& entry, WallTime now);

}  // namespace evictd::kube
