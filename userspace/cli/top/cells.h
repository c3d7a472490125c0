// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evictd::cli::top {

/// What the terminal shows besides ASCII.
enum class Charset { kUtf8, kAscii };

/// A text from outside that takes as many cells of a terminal as cells_of() says, and moves no
/// cursor. Control characters become "\x1b" and the like. A character without a width of its own
/// (a combining mark, a mark of direction) and one that the charset lacks become a replacement.
/// Units: the width is that of wcwidth(3), so with kUtf8 LC_CTYPE is one of UTF-8.
[[nodiscard]] std::string printable(std::string_view text, Charset charset);

/// The cells that a printable text takes.
[[nodiscard]] std::size_t cells_of(std::string_view printable);

/// `text`, made printable, in at most `width` cells; what was cut off is told by its last one.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width, Charset charset);
/// The same in exactly `width` cells, filled with spaces behind or before it.
[[nodiscard]] std::string left(std::string_view text, std::size_t width, Charset charset);
[[nodiscard]] std::string right(std::string_view text, std::size_t width, Charset charset);

}  // namespace evictd::cli::top
