// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evictd/result.h"
#include "kube/pod_document.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

/// The fields kept from a v1.Event.
[[nodiscard]] const Shape& evicted_event_shape();

/// Whether the kubelet of this node posted the event. Pure.
[[nodiscard]] bool is_kubelet_event_of(const nlohmann::json& event, const std::string& node);

/// The pod that an event with the reason Evicted is about, without a text. `evicted` is nullopt for
/// any other event, and for a pod that was not admitted.
/// Errors: kInvalid if `event` is no object, or for a uid that is_file_name() refuses.
[[nodiscard]] Result<PodDocument> evicted_pod_of(nlohmann::json event);

}  // namespace evictd::kube
