// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::base {

/// Writes all of `text` to `fd` at its offset; continues after signals and partial writes. `name`
/// is the file's name in errors. Blocks: never call it on the hot thread.
/// Errors: those of write(2); bytes already written stay.
[[nodiscard]] Result<> write_all(int fd, std::string_view text, const std::string& name);

}  // namespace evictd::base
