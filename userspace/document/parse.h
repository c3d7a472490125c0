// SPDX-License-Identifier: Apache-2.0
// One tree with places for YAML and JSON. Errors have the form that the dialect says.
#pragma once

#include <string_view>
#include <vector>

#include "document/dialect.h"
#include "document/node.h"
#include "evictd/result.h"

namespace evictd::document {

/// Reads the documents of a YAML text; JSON is YAML too. Errors: kMalformed for bytes that are not
/// UTF-8, for control characters other than tab and line ends, and for text that is not YAML.
/// kInvalid for a duplicate key, a key that is not text, and what the dialect does not have. With
/// all of YAML: kInvalid for a merge key and for a tag that the core schema lacks. kExhausted
/// beyond a limit.
[[nodiscard]] Result<std::vector<Node>> parse_yaml(std::string_view text, std::string_view name,
                                                   const Dialect& dialect);

/// Reads a JSON text. Errors: kMalformed for bytes that are not UTF-8 and for text that is not
/// JSON. kInvalid for a duplicate key and for a number that does not fit a double. kExhausted
/// beyond a limit.
[[nodiscard]] Result<Node> parse_json(std::string_view text, std::string_view name,
                                      const Dialect& dialect);

}  // namespace evictd::document
