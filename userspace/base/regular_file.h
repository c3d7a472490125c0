// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// Whether `file` exists and is not a regular file. Follows links.
[[nodiscard]] bool is_no_regular_file(const std::filesystem::path& file);

/// Opens `file` for reading from the beginning.
/// Errors, each with the file's name: kInvalid if it exists but is not a regular file (a device may
/// have no end, and opening a FIFO waits for a writer); else those of open(2), such as kNotFound.
[[nodiscard]] Result<Fd> open_regular_file(const std::filesystem::path& file);

/// Opens `file` for writing with these flags of open(2), which include O_WRONLY or O_RDWR. Creates
/// it with `mode` if it does not exist. Never waits for the reader of a FIFO.
/// Errors, each with the file's name: kInvalid if it exists but is not a regular file, because a
/// FIFO or a device stores nothing; else those of open(2).
[[nodiscard]] Result<Fd> open_regular_file_to_write(const std::filesystem::path& file, int flags,
                                                    mode_t mode);

}  // namespace evictd::base
