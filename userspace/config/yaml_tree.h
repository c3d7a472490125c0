// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "document/node.h"
#include "evictd/result.h"

namespace evictd::config {

using YamlNode = document::Node;
using YamlEntry = document::Entry;

/// Limits on the size of a file; a configuration needs a small part of each.
struct YamlLimits {
  std::size_t bytes = std::size_t{256} * 1024;
  std::size_t depth = 16;
  std::size_t nodes = 10'000;
};

/// Reads one document. JSON is YAML too. An empty document is kNull. Errors: "FILE:LINE:COLUMN:
/// KEY: VALUE: ...", with key and value if known. kMalformed for bytes that are not UTF-8, for
/// control characters (also escaped ones) and for text that is not YAML. kInvalid for a duplicate
/// key and for what a configuration does not use: anchors, aliases, tags, a second document, a key
/// that is not text. kExhausted beyond a limit.
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view text, std::string_view filename,
                                          const YamlLimits& limits = {});

/// Refuses YAML that is not JSON: keys and texts without quotes, a comma before a closing bracket,
/// comments. Errors: as above, "FILE:LINE:COLUMN: not valid JSON ...".
[[nodiscard]] Result<> check_json(std::string_view text, std::string_view filename);

}  // namespace evictd::config
