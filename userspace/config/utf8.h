// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace evictd::config {

/// Offset of the first byte of `text` that does not continue valid UTF-8; nullopt if all of it is
/// valid. Overlong forms, surrogates and code points above U+10FFFF are not valid.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Offset of the first control character of `text`, except tab and line ends; nullopt if there is
/// none. core/control_character.h defines control characters.
[[nodiscard]] std::optional<std::size_t> find_control_character(std::string_view text);

}  // namespace evictd::config
