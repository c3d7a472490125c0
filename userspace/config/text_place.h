// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evictd::config {

/// "FILE:LINE:COLUMN" of the byte at `offset` of the text of `filename`; lines and columns, which
/// count bytes, are from 1. `offset` may be the size of the text.
[[nodiscard]] std::string text_place(std::string_view filename, std::string_view text,
                                     std::size_t offset);

}  // namespace evictd::config
