// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace evictd::document {

/// How a reader words a refusal that others word differently, in the syntax of fmt.
struct Words {
  /// {0}: name of the text, {1}: its bytes, {2}: the limit. With the place.
  std::string_view too_long;
  /// The limit.
  std::string_view too_deep;
  std::string_view too_many;
  /// {0}: the key, {1}: the line where it is first.
  std::string_view twice;
  /// What the key is.
  std::string_view no_key;
  /// The parser's message.
  std::string_view no_yaml;
  /// {0}: the end of what was read, {1}: the rest of the line.
  std::string_view no_json;
  std::string_view short_json;
};

/// What one reader of documents accepts, and how its errors look.
struct Dialect {
  /// Limits on one text, which may be hostile: bytes, nesting of mappings and lists, and scalars,
  /// lists and mappings in all documents. An alias counts as its target.
  std::size_t bytes = 0;
  std::size_t depth = 0;
  std::size_t values = 0;
  /// Whether YAML may have anchors, aliases, tags of the core schema, several documents and escaped
  /// control characters. Without them all values are written out in one document.
  bool has_all_yaml = false;
  /// Errors begin with "NAME:LINE: what", else with "NAME:LINE:COLUMN: KEY: VALUE: what", with key
  /// and value if known.
  bool names_line_only = false;
  Words words;
};

}  // namespace evictd::document
