// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"

namespace evictd::config {

struct YamlEntry;

/// One value of a YAML document, as written: nothing is resolved, so that a reader can be strict
/// about types. Owns everything below it.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  /// Where it starts, from 1.
  int line = 1;
  /// Text of a scalar, quotes and escapes undone.
  std::string text;
  /// A scalar without quotes, which YAML may take for a number or a truth value.
  bool plain = false;
  std::vector<YamlNode> items;
  /// In the order of the file; keys are unique.
  std::vector<YamlEntry> entries;
};

struct YamlEntry {
  std::string key;
  int line = 1;
  YamlNode value;
};

/// What a file may cost before it is refused; a configuration needs a small part of each.
struct YamlLimits {
  std::size_t bytes = std::size_t{256} * 1024;
  std::size_t depth = 16;
  std::size_t nodes = 10'000;
};

/// Reads one document. JSON is YAML too. An empty document is kNull.
/// Errors: "FILE:LINE:COLUMN: KEY: VALUE: ...", as far as there are key and value, with kMalformed
/// for bytes that are no UTF-8, for control characters (those that an escape writes too) and for
/// what is no YAML; with kInvalid for a duplicate key and for what a configuration has no use for
/// (anchors, aliases, tags, a second document, a key that is no text); with kExhausted beyond a
/// limit.
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view text, std::string_view filename,
                                          const YamlLimits& limits = {});

}  // namespace evictd::config
