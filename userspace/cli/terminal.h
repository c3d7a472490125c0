// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace evictd::cli {

/// Prints an error as one line on stderr that starts with the program's name. `what` may contain
/// texts and paths from outside.
void complain(std::string_view what);

/// Prints a warning the same way.
void warn(std::string_view what);

/// `json` as one line without its line end, for stdout. Bytes that are not UTF-8 become U+FFFD, and
/// control characters become JSON escapes.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

}  // namespace evictd::cli
