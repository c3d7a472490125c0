// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evictd/result.h"
#include "kube/pod_document.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

/// What is kept of a v1.Event.
[[nodiscard]] const Shape& evicted_event_shape();

/// Whether the kubelet of this node has posted it. Pure.
[[nodiscard]] bool is_kubelet_event_of(const nlohmann::json& event, const std::string& node);

/// The pod that an event of the reason Evicted is about, without a text. Its `evicted` is nothing
/// for any other event, also for that of a pod that was not admitted.
/// Errors: kInvalid for no object, and for a uid that is_file_name() refuses.
[[nodiscard]] Result<PodDocument> evicted_pod_of(nlohmann::json event);

}  // namespace evictd::kube
