// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::base {

/// Writes all of `text` to `fd` at its offset; goes on after a signal and after a part. `name` is
/// what an error calls the file. Blocks: never on the hot thread.
/// Errors: what write(2) says; what was written until then stays.
[[nodiscard]] Result<> write_all(int fd, std::string_view text, const std::string& name);

}  // namespace evictd::base
