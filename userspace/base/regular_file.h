// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// Whether there is something at `file` that is no regular file; links are followed.
[[nodiscard]] bool is_no_regular_file(const std::filesystem::path& file);

/// Opens `file` for reading its bytes from the beginning.
/// Errors: kInvalid for what is there but no regular file (a device may have no end, and a FIFO
/// without a writer would be waited for); else why it cannot be opened, kNotFound among others.
/// Each names the file.
[[nodiscard]] Result<Fd> open_regular_file(const std::filesystem::path& file);

/// Opens `file` for writing with these flags of open(2), O_WRONLY or O_RDWR among them, and makes
/// it with `mode` where there is none. Waits for no reader of a FIFO. Errors: kInvalid for what is
/// there but no regular file: what is written to a FIFO or a device is kept by nobody; else as
/// open(2). Each names the file.
[[nodiscard]] Result<Fd> open_regular_file_to_write(const std::filesystem::path& file, int flags,
                                                    mode_t mode);

}  // namespace evictd::base
