// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::eviction {

/// Parses a number in Go's notation, as in the kubelet's configuration: decimal or hexadecimal,
/// "inf" or "nan", rounded to 32 bits.
/// Errors: kMalformed with the text of Go's strconv package.
[[nodiscard]] Result<float> parse_float(std::string_view text);

/// The text in double quotes as Go's strconv package writes it, with non-printable characters
/// escaped.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace evictd::eviction
