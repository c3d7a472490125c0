// SPDX-License-Identifier: Apache-2.0
#include "cluster/document.h"

#include <charconv>
#include <utility>

#include "document/parse.h"
#include "document/scalar.h"
#include "evictd/try.h"

namespace evictd::cluster {

namespace {

using document::Node;

constexpr document::Words kWords = {.too_long = "{0}:1: longer than {2} bytes",
                                    .too_deep = "nested deeper than {} levels",
                                    .too_many = "more than {} values",
                                    .twice = "key '{0}' is given twice",
                                    .no_key = "{} cannot be a key",
                                    .no_yaml = "not YAML: {}",
                                    .no_json = "not JSON at '{0}'",
                                    .short_json = "not JSON, it ends too early"};

nlohmann::json json_of(const Node& node) {
  if (node.kind == Node::Kind::kSequence) {
    nlohmann::json list = nlohmann::json::array();
    for (const Node& item : node.items) {
      list.push_back(json_of(item));
    }
    return list;
  }
  if (node.kind == Node::Kind::kMap) {
    nlohmann::json object = nlohmann::json::object();
    for (const document::Entry& entry : node.entries) {
      object.emplace(entry.key, json_of(entry.value));
    }
    return object;
  }
  return document::json_scalar(node);
}

/// The value at `path` below `node`; nullptr if there is none. A key may contain dots.
const Node* find_value(const Node& node, std::string_view path) {
  if (path.empty()) {
    return &node;
  }
  if (node.kind == Node::Kind::kSequence) {
    const std::size_t end = path.find(']');
    std::size_t index = node.items.size();
    if (path[0] == '[' && end != std::string_view::npos) {
      static_cast<void>(std::from_chars(path.data() + 1, path.data() + end, index));
    }
    return index < node.items.size() ? find_value(node.items[index], path.substr(end + 1))
                                     : nullptr;
  }
  path.remove_prefix(path[0] == '.' ? 1 : 0);
  for (const document::Entry& entry : node.entries) {
    if (!path.starts_with(entry.key)) {
      continue;
    }
    const std::string_view rest = path.substr(entry.key.size());
    const bool ends_key = rest.empty() || rest[0] == '.' || rest[0] == '[';
    if (const Node* const found = ends_key ? find_value(entry.value, rest) : nullptr) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace

Result<std::vector<Document>> parse_documents(std::string_view text, std::string_view name,
                                              DocumentFormat format, const DocumentLimits& limits) {
  const document::Dialect dialect = {.bytes = limits.bytes,
                                     .depth = limits.depth,
                                     .values = limits.values,
                                     .has_all_yaml = true,
                                     .names_line_only = true,
                                     .words = kWords};
  std::vector<Node> trees;
  if (format == DocumentFormat::kJson) {
    EVICTD_ASSIGN_OR_RETURN(Node tree, document::parse_json(text, name, dialect));
    trees.push_back(std::move(tree));
  } else {
    EVICTD_ASSIGN_OR_RETURN(trees, document::parse_yaml(text, name, dialect));
  }
  std::vector<Document> documents;
  for (Node& tree : trees) {
    if (tree.kind != Node::Kind::kNull) {
      nlohmann::json value = json_of(tree);
      documents.push_back({.value = std::move(value), .tree = std::move(tree)});
    }
  }
  return documents;
}

int find_line(const Document& document, std::string_view path) {
  const Node* const value = find_value(document.tree, path);
  return (value == nullptr ? document.tree : *value).line;
}

}  // namespace evictd::cluster
