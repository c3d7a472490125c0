// SPDX-License-Identifier: Apache-2.0
#include "document/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/control_character.h"

namespace evictd::document {

const Entry* entry_in(const Node& map, std::string_view key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t kMostCharacters = 60;
  std::string result;
  std::size_t characters = 0;
  while (!text.empty()) {
    const bool continues_character = (static_cast<unsigned char>(text[0]) & 0xc0U) == 0x80U;
    if (!continues_character && ++characters > kMostCharacters) {
      result += "...";
      break;
    }
    const std::size_t control = core::control_character_length(text);
    result += control != 0 ? ' ' : text[0];
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
  return result;
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kMap:
      return "a mapping";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kScalar:
      break;
  }
  return node.plain ? shown_text(node.text) : fmt::format("\"{}\"", shown_text(node.text));
}

}  // namespace evictd::document
