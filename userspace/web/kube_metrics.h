// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "web/metric_list.h"

namespace evictd::web {

/// Adds the metrics from evictd-kube's status; `status` is null while evictd-kube does not answer.
void add_kube(MetricList& list, const nlohmann::ordered_json* status);

}  // namespace evictd::web
