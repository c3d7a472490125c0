// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"

namespace evictd::config {

/// Refuses what is YAML and no JSON (keys and texts without quotes, a comma before a bracket that
/// closes, comments), and a number that no double holds. `text` is UTF-8.
/// Errors: kMalformed, "FILE:LINE:COLUMN: no valid JSON ...", with what stands there.
[[nodiscard]] Result<> check_json(std::string_view text, std::string_view filename);

}  // namespace evictd::config
