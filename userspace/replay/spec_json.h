// SPDX-License-Identifier: Apache-2.0
// The JSON form of what limits on local storage are judged by. That is a part of v1.Pod and the
// statistics of containers and volumes.
#pragma once

#include "eviction/pod.h"
#include "eviction/statistics.h"
#include "export/json_fields.h"
#include "replay/recording.h"

namespace evictd::replay {

[[nodiscard]] Json spec_json(const eviction::Pod& pod);
[[nodiscard]] eviction::Pod spec_from_json(exporting::JsonFields fields);

[[nodiscard]] Json statistics_json(const eviction::PodStatistics& statistics);
[[nodiscard]] eviction::PodStatistics statistics_from_json(exporting::JsonFields fields);

}  // namespace evictd::replay
