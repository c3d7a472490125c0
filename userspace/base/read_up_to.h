// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "evictd/result.h"

namespace evictd::base {

/// The next bytes of `fd`, up to its end or `limit` of them; goes on after a signal and after a
/// part. Fewer than `limit` mean the end. `name` is what an error calls the file. Blocks and
/// allocates. Errors: what read(2) says; a stream of C++ would throw, or take it for the end.
[[nodiscard]] Result<std::string> read_up_to(int fd, std::size_t limit, const std::string& name);

}  // namespace evictd::base
