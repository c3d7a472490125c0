// SPDX-License-Identifier: Apache-2.0
#include "cli/top/cells.h"

#include <cwchar>

#include "base/one_line.h"
#include "core/utf8.h"

namespace evictd::cli::top {

namespace {

constexpr std::string_view kNoCharacter = "\xef\xbf\xbd";
constexpr std::string_view kCutOff = "\xe2\x80\xa6";

/// The code point of one UTF-8 character.
wchar_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) {
    return static_cast<wchar_t>(first);
  }
  unsigned code = first & (0xffU >> (character.size() + 1));
  for (const char byte : character.substr(1)) {
    code = code << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return static_cast<wchar_t>(code);
}

/// Cells of one character; below 1 if it has no width of its own.
int width_of(std::string_view character) {
  return character.size() == 1 ? 1 : ::wcwidth(code_point(character));
}

/// Removes the first character from `text`, which is UTF-8.
std::string_view take_character(std::string_view& text) {
  const std::string_view character = text.substr(0, core::first_utf8_part(text).length);
  text.remove_prefix(character.size());
  return character;
}

/// As many characters of `text` as fit into `width`.
std::string beginning_of(std::string_view text, std::size_t width) {
  std::string taken;
  std::size_t cells = 0;
  while (!text.empty()) {
    const std::string_view character = take_character(text);
    cells += static_cast<std::size_t>(width_of(character));
    if (cells > width) {
      break;
    }
    taken += character;
  }
  return taken;
}

std::string spaces(std::size_t width, std::size_t taken) {
  return std::string(width - taken, ' ');
}

}  // namespace

std::string printable(std::string_view text, Charset charset) {
  const std::string line = base::one_line(text);
  std::string shown;
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::string_view character = take_character(rest);
    if (character.size() > 1 && charset == Charset::kAscii) {
      shown += '?';
    } else {
      shown += width_of(character) > 0 ? character : kNoCharacter;
    }
  }
  return shown;
}

std::size_t cells_of(std::string_view printable) {
  std::size_t cells = 0;
  while (!printable.empty()) {
    cells += static_cast<std::size_t>(width_of(take_character(printable)));
  }
  return cells;
}

std::string cut(std::string_view text, std::size_t width, Charset charset) {
  std::string whole = printable(text, charset);
  if (cells_of(whole) <= width) {
    return whole;
  }
  if (width == 0) {
    return {};
  }
  return beginning_of(whole, width - 1) +
         (charset == Charset::kUtf8 ? std::string(kCutOff) : std::string(1, '~'));
}

std::string left(std::string_view text, std::size_t width, Charset charset) {
  const std::string shown = cut(text, width, charset);
  return shown + spaces(width, cells_of(shown));
}

std::string right(std::string_view text, std::size_t width, Charset charset) {
  const std::string shown = cut(text, width, charset);
  return spaces(width, cells_of(shown)) + shown;
}

}  // namespace evictd::cli::top
