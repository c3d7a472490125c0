// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evictd/time.h"

namespace evictd::cli {

/// "1.5Gi": at most four digits, so that columns stay narrow.
[[nodiscard]] std::string bytes_text(double bytes);

/// Whether amounts of a signal are counts (tasks, inodes); all others are bytes.
[[nodiscard]] bool is_count(std::string_view signal);
/// An amount as its signal has it: "63.9Mi", "4096".
[[nodiscard]] std::string amount_text(std::string_view signal, std::int64_t amount);

/// "250 us", "1.5 ms", "12.0 s", "3 min 20 s"; a minus in front where it is one.
[[nodiscard]] std::string duration_text(Duration duration);

/// A configured grace period without loss: "0s", "90s", "500ms", "1.5s"; `gap` stands before the
/// unit.
[[nodiscard]] std::string grace_text(std::int64_t ms, std::string_view gap = "");

}  // namespace evictd::cli
