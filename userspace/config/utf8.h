// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace evictd::config {

/// Offset of the first byte of `text` that does not continue valid UTF-8 (overlong forms,
/// surrogates and code points above U+10FFFF are not valid); none if all is well.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Offset of the first control character of `text` as core/control_character.h has them, tab and
/// the ends of lines apart; none if there is none.
[[nodiscard]] std::optional<std::size_t> find_control_character(std::string_view text);

}  // namespace evictd::config
