// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// Opens `file` for reading its bytes from the beginning.
/// Errors: kInvalid for what is there but no regular file (a device may have no end, and a FIFO
/// without a writer would be waited for); else why it cannot be opened, kNotFound among others.
/// Each names the file.
[[nodiscard]] Result<Fd> open_regular_file(const std::filesystem::path& file);

}  // namespace evictd::base
