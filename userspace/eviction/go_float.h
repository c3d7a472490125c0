// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::eviction {

/// A number in the notation of Go, which is that of the kubelet's configuration: decimal or
/// hexadecimal, "inf" or "nan", rounded to 32 bits.
/// Errors: kMalformed with the text of Go's strconv package.
[[nodiscard]] Result<float> parse_float(std::string_view text);

/// The text in double quotes as that package writes it, with what cannot be printed written as
/// escapes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace evictd::eviction
