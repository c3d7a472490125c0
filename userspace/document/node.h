// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evictd::document {

struct Entry;

/// One value of a YAML or JSON document, as written. Nothing is resolved, so that a reader can be
/// strict about types. Owns everything below it.
struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  /// Line where it starts, from 1.
  int line = 1;
  /// Text of a scalar, without quotes and escapes.
  std::string text;
  /// True for a scalar without quotes, which YAML may read as a number or a boolean.
  bool plain = false;
  std::vector<Node> items;
  /// In file order; keys are unique.
  std::vector<Entry> entries;
};

struct Entry {
  std::string key;
  int line = 1;
  Node value;
};

/// The entry of a map; nullptr if there is none.
[[nodiscard]] const Entry* entry_in(const Node& map, std::string_view key);

/// Text as an error displays it: cut after 60 characters, with a space for each control character.
[[nodiscard]] std::string shown_text(std::string_view text);

/// The node as an error displays it: a scalar as shown_text(), in quotes if it is written so. Other
/// nodes show their kind.
[[nodiscard]] std::string shown(const Node& node);

}  // namespace evictd::document
