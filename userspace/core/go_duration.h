// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::core {

/// Parses a duration in Go's notation, which the kubelet uses: an optional sign and one or more
/// numbers, each with a unit of ns, us, ms, s, m or h ("1m30s", "1.5h", "-10ms"); "0" needs no
/// unit.
/// Errors: kMalformed, with the exact text of Go's time.ParseDuration, also beyond 64 bits.
[[nodiscard]] Result<Duration> parse_go_duration(std::string_view text);

}  // namespace evictd::core
