// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::stage {

/// The whole text of a kernel file or of a small file of ours.
/// Errors: as open(2) and read(2), with the path in the context.
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& path);

/// Writes `text` in one write(2) to a file that exists, as kernel files want it.
[[nodiscard]] Result<> write_kernel_file(const std::filesystem::path& path, std::string_view text);

/// Makes a new file with `text`, or replaces one at once: readers see the old text or the new.
[[nodiscard]] Result<> replace_file(const std::filesystem::path& path, std::string_view text);

/// The number that `text` starts with; "max" is INT64_MAX.
/// Errors: kMalformed.
[[nodiscard]] Result<std::int64_t> parse_number(std::string_view text);

/// The number after `key` at the start of a line: "oom_kill 3".
/// Errors: kNotFound when no line has the key, kMalformed.
[[nodiscard]] Result<std::int64_t> number_after(std::string_view text, std::string_view key);

}  // namespace evictd::stage
