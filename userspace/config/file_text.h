// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "evictd/result.h"

namespace evictd::config {

/// The text of a regular file, at most one byte more than `limit`: what grows meanwhile, or has no
/// end, is cut there, so that its reader finds it too long. Does not wait for a FIFO.
/// Errors: kInvalid for what is no regular file, else as open(2), fstat(2) and read(2).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace evictd::config
