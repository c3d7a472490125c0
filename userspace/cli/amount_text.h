// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evictd/time.h"

namespace evictd::cli {

/// "1.5Gi": at most four digits, to keep columns narrow.
[[nodiscard]] std::string bytes_text(double bytes);

/// Whether the signal counts tasks or inodes; all others are in bytes.
[[nodiscard]] bool is_count(std::string_view signal);
/// A quantity in its signal's unit: "63.9Mi", "4096".
[[nodiscard]] std::string amount_text(std::string_view signal, std::int64_t amount);

/// "250 us", "1.5 ms", "12.0 s", "3 min 20 s"; with a minus sign if negative.
[[nodiscard]] std::string duration_text(Duration duration);

/// A configured grace period without loss: "0s", "90s", "500ms", "1.5s"; `gap` precedes the unit.
[[nodiscard]] std::string grace_text(std::int64_t ms, std::string_view gap = "");

}  // namespace evictd::cli
