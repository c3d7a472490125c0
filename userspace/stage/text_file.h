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

/// Writes `text` with one write(2) to an existing file, as kernel files require.
[[nodiscard]] Result<> write_kernel_file(const std::filesystem::path& path, std::string_view text);

/// Creates a file with `text`, or replaces it atomically: readers see the old or the new text.
[[nodiscard]] Result<> replace_file(const std::filesystem::path& path, std::string_view text);

/// The number at the start of `text`; "max" is INT64_MAX.
/// Errors: kMalformed.
[[nodiscard]] Result<std::int64_t> parse_number(std::string_view text);

/// The number after `key` at the start of a line: "oom_kill 3".
/// Errors: kNotFound if no line has the key, kMalformed.
[[nodiscard]] Result<std::int64_t> number_after(std::string_view text, std::string_view key);

}  // namespace evictd::stage
