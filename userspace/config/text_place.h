// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evictd::config {

/// Returns "FILE:LINE:COLUMN" of the byte at `offset` in the text of `filename`. Lines and columns
/// count from 1; columns count bytes. `offset` may be the size of the text.
[[nodiscard]] std::string text_place(std::string_view filename, std::string_view text,
                                     std::size_t offset);

}  // namespace evictd::config
