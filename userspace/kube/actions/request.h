// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "evictd/time.h"
#include "kube/actions/entry.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// In which form a step is asked for.
struct RequestForm {
  /// Of pods/eviction.
  enum class Policy { kV1, kV1Beta1 };
  std::string node;
  Policy policy = Policy::kV1;
  /// The pod is deleted, whatever a disruption budget says.
  bool deletes = false;
  /// An event that was counted is posted anew: the one it was counted on has expired.
  bool posts_anew = false;
};

/// The next step of an entry that has one. Pure.
[[nodiscard]] Ask make_request(const Entry& entry, const RequestForm& form, WallTime now);

/// What is left of an entry's grace, in seconds; at least 1, so that the API server waits for the
/// kubelet to have seen the pod end.
[[nodiscard]] std::int64_t grace_left(const Entry& entry, WallTime now);

}  // namespace evictd::kube
