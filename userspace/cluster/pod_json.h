// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/rfc3339.h"
#include "evictd/result.h"
#include "eviction/pod.h"

namespace evictd::cluster {

/// Reads what eviction needs of one v1.Pod object. Fields it does not know are skipped; `null` is
/// the same as absent; quantities may be texts or numbers.
/// Errors: kMalformed, naming the field by its path ("spec.containers[1].resources.requests.memory:
/// quantities must match ..."); the pod is then to be treated as unknown, never as without
/// requests.
[[nodiscard]] Result<eviction::Pod> pod_from_json(const nlohmann::json& object);

using core::wall_time_from_rfc3339;

}  // namespace evictd::cluster
