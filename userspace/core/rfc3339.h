// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::core {

/// A time in the notation of RFC 3339, which is that of the API: "2024-01-31T12:00:00Z", with any
/// number of decimals and any offset. Errors: kMalformed for text that is none, kInvalid outside
/// the years 1678 to 2261.
[[nodiscard]] Result<WallTime> wall_time_from_rfc3339(std::string_view text);

}  // namespace evictd::core
