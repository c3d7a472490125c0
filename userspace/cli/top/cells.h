// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evictd::cli::top {

/// The characters beyond ASCII that the terminal shows.
enum class Charset { kUtf8, kAscii };

/// A text from outside, made safe: it takes as many cells as cells_of() says and moves no cursor.
/// Control characters become "\x1b" and the like. A character without a width of its own (a
/// combining mark, a direction mark) and one that the charset lacks are replaced. The width is that
/// of wcwidth(3), so kUtf8 needs a UTF-8 LC_CTYPE.
[[nodiscard]] std::string printable(std::string_view text, Charset charset);

/// The number of cells of a printable text.
[[nodiscard]] std::size_t cells_of(std::string_view printable);

/// `text`, made printable and cut to at most `width` cells; the last cell marks a cut.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width, Charset charset);
/// The same in exactly `width` cells, padded with spaces after or before it.
[[nodiscard]] std::string left(std::string_view text, std::size_t width, Charset charset);
[[nodiscard]] std::string right(std::string_view text, std::size_t width, Charset charset);

}  // namespace evictd::cli::top
