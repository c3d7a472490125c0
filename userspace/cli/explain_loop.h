// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "export/eviction_record.h"

namespace evictd::cli {

/// Names the controller that made the record's victim, where evictd-kube's status has it in a loop
/// of evictions to which this one belongs; else empty.
[[nodiscard]] std::string loop_text(const nlohmann::ordered_json& kube_status,
                                    const exporting::EvictionRecord& record);

}  // namespace evictd::cli
