// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::core {

/// Parses a time in RFC 3339 notation, which the Kubernetes API uses: "2024-01-31T12:00:00Z", with
/// any number of decimals and any offset.
/// Errors: kMalformed for other text, kInvalid outside the years 1678 to 2261.
[[nodiscard]] Result<WallTime> wall_time_from_rfc3339(std::string_view text);

}  // namespace evictd::core
