// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"

namespace evictd::config {

/// Refuses YAML that is not JSON (keys and texts without quotes, a comma before a closing bracket,
/// comments), and a number that does not fit a double. `text` is UTF-8. Errors: kMalformed,
/// "FILE:LINE:COLUMN: not valid JSON ...", with the text at that place.
[[nodiscard]] Result<> check_json(std::string_view text, std::string_view filename);

}  // namespace evictd::config
