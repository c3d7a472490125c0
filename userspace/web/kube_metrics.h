// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "web/metric_list.h"

namespace evictd::web {

/// What evictd-kube's status tells; null while it does not answer.
void add_kube(MetricList& list, const nlohmann::ordered_json* status);

}  // namespace evictd::web
