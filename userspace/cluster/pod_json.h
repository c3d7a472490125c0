// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/json_reader.h"
#include "core/rfc3339.h"
#include "evictd/result.h"
#include "eviction/pod.h"

namespace evictd::cluster {

/// Reads the fields of one v1.Pod object that eviction needs. Unknown fields are skipped; `null` is
/// the same as absent; quantities may be texts or numbers. Errors: kMalformed, naming the field by
/// its path ("spec.containers[1].resources.requests.memory: quantities must match ..."). The caller
/// must then treat the pod as unknown, never as a pod without requests.
[[nodiscard]] Result<eviction::Pod> pod_from_json(const nlohmann::json& object);

/// The same for the object of `root`, which records the problem; the caller must then not use the
/// pod.
[[nodiscard]] eviction::Pod read_pod(const JsonReader& root);

using core::wall_time_from_rfc3339;

}  // namespace evictd::cluster
