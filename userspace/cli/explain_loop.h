// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "export/eviction_record.h"

namespace evictd::cli {

/// The controller that created the record's victim, if evictd-kube's status reports an eviction
/// loop of it that this eviction belongs to; else empty.
[[nodiscard]] std::string loop_text(const nlohmann::ordered_json& kube_status,
                                    const exporting::EvictionRecord& record);

}  // namespace evictd::cli
