// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "evictd/result.h"

namespace evictd::config {

/// Returns the text of a regular file, cut at `limit` + 1 bytes. So a file that grows during the
/// read, or has no end, reaches its parser as too long. Does not block on a FIFO. Errors: kInvalid
/// if it is not a regular file, else as open(2), fstat(2) and read(2).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace evictd::config
