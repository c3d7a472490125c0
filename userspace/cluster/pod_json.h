// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/json_reader.h"
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

/// The same for the object that `root` reads, which is told what is wrong; the pod is then not to
/// be used.
[[nodiscard]] eviction::Pod read_pod(const JsonReader& root);

using core::wall_time_from_rfc3339;

}  // namespace evictd::cluster
