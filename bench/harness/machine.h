// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::bench {

/// MemTotal of /proc/meminfo.
[[nodiscard]] Result<Bytes> memory_total();

/// Used swap. Source: SwapTotal and SwapFree of /proc/meminfo.
[[nodiscard]] Result<Bytes> swap_used();

/// The value of `key` ("SwapFree") in the text of /proc/meminfo.
/// Errors: kNotFound, kMalformed.
[[nodiscard]] Result<Bytes> meminfo_amount(std::string_view text, std::string_view key);

}  // namespace evictd::bench
