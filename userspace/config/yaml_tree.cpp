// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_tree.h"

#include <utility>
#include <vector>

#include "document/parse.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

constexpr document::Words kWords = {
    .too_long = "{0}: {1} bytes; allowed: {2} at most",
    .too_deep = "nested too deep; allowed: {} levels",
    .too_many = "too many values; allowed: {}",
    .twice = "duplicate key, first given on line {1}; allowed: each key once",
    .no_key = "a key that is not text; allowed: text",
    .no_yaml = "not valid YAML: {}",
    .no_json = "not valid JSON: {1}; allowed: JSON alone, as the file begins with {{",
    .short_json = "not valid JSON, it ends too early"};

document::Dialect dialect_of(const YamlLimits& limits) {
  return {.bytes = limits.bytes,
          .depth = limits.depth,
          .values = limits.nodes,
          .has_all_yaml = false,
          .names_line_only = false,
          .words = kWords};
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, std::string_view filename,
                            const YamlLimits& limits) {
  EVICTD_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                          document::parse_yaml(text, filename, dialect_of(limits)));
  return documents.empty() ? YamlNode() : std::move(documents.front());
}

Result<> check_json(std::string_view text, std::string_view filename) {
  EVICTD_TRY(document::parse_json(text, filename, dialect_of({})));
  return {};
}

}  // namespace evictd::config
