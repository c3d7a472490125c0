// SPDX-License-Identifier: Apache-2.0
// What pollInterval may be, in a file and on a command line alike.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "config/value.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::config {

inline constexpr Range<Duration> kPollIntervals{std::chrono::milliseconds(10),
                                                std::chrono::hours(1)};

/// Parses a pollInterval in Go's notation. Errors: kInvalid, naming the text and the allowed
/// values.
[[nodiscard]] Result<Duration> parse_poll_interval(std::string_view text);

/// Returns what is wrong with `text` as a pollInterval; empty if it is valid.
[[nodiscard]] std::string poll_interval_problem(std::string_view text);

}  // namespace evictd::config
