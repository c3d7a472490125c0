// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "config/brake_settings.h"
#include "config/value.h"

namespace evictd::config {

/// A list of namespace names, without duplicates.
[[nodiscard]] Result<std::vector<std::string>> read_namespaces(const Value& value);
/// A list of "KEY" or "KEY=VALUE" in the notation of Kubernetes labels, without duplicates.
[[nodiscard]] Result<std::vector<LabelRule>> read_label_rules(const Value& value);
[[nodiscard]] nlohmann::ordered_json write_label_rules(const std::vector<LabelRule>& rules);

}  // namespace evictd::config
