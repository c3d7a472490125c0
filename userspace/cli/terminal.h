// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace evictd::cli {

/// What went wrong, as one line of stderr that begins with the program's name. Texts and paths from
/// outside may be part of it.
void complain(std::string_view what);

/// What could be wrong, the same way.
void warn(std::string_view what);

/// `json` as one line without its end, for stdout: bytes that are no UTF-8 become U+FFFD, and what
/// a terminal could obey becomes an escape of JSON.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

}  // namespace evictd::cli
