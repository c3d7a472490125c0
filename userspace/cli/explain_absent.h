// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace evictd::cli {

/// Why a pod that the daemon knows is in none of the recorded decisions, as far as the status
/// shows: whole sentences. Empty if the daemon knows no such pod. `what` as in Question.
[[nodiscard]] std::vector<std::string> story_of_absent(const nlohmann::ordered_json& status,
                                                       std::string_view what);

}  // namespace evictd::cli
