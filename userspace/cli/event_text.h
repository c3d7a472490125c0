// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::cli {

/// One line of the journal in words: time, kind and what happened. What a line lacks is left out.
[[nodiscard]] std::string event_text(const nlohmann::ordered_json& line);

/// Whether the line only repeats an eviction with its end, which its progress has told of.
[[nodiscard]] bool repeats(const nlohmann::ordered_json& line);

}  // namespace evictd::cli
