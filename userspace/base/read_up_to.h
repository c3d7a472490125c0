// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "evictd/result.h"

namespace evictd::base {

/// Reads `fd` up to its end or up to `limit` bytes; continues after signals and partial reads. A
/// result shorter than `limit` means the end of the file. `name` is the file's name in errors.
/// Blocks and allocates.
/// Errors: those of read(2). A C++ stream would throw, or take an error for the end.
[[nodiscard]] Result<std::string> read_up_to(int fd, std::size_t limit, const std::string& name);

}  // namespace evictd::base
