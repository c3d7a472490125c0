// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "cluster/document_format.h"
#include "document/node.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// Limits on one text: a manifest comes from outside and may be hostile.
struct DocumentLimits {
  /// etcd stores no object above 1.5 MiB; a list of 110 pods is about 1 MiB.
  std::size_t bytes = std::size_t{4} << 20;
  /// Nesting of objects and lists; an alias counts as its target. A v1.Pod is at most 14 levels
  /// deep.
  std::size_t depth = 64;
  /// Scalars, sequences and mappings in all documents; an alias counts as its target.
  std::size_t values = 200'000;
};

/// One document of a text.
struct Document {
  nlohmann::json value;
  /// The same with the line of each value.
  document::Node tree;
};

/// Reads all documents of `text`. A YAML text may have several; empty ones are left out. Plain YAML
/// scalars become null, booleans and numbers as in YAML 1.2's core schema, else texts. A number
/// with a leading zero becomes a text too, because YAML 1.1 reads another number. Errors are
/// "NAME:LINE: what". kMalformed for bytes that are not UTF-8, for control characters other than
/// tab and line ends, and for text that is not YAML or JSON. kInvalid for a key that is given twice
/// or is not a scalar, a merge key, an application's own tag, or a JSON number that does not fit a
/// double. kExhausted beyond a limit.
[[nodiscard]] Result<std::vector<Document>> parse_documents(std::string_view text,
                                                            std::string_view name,
                                                            DocumentFormat format,
                                                            const DocumentLimits& limits = {});

/// Returns the line of the value at `path` ("spec.containers[1].name"), or where the document
/// begins if there is no such value or `path` is empty.
[[nodiscard]] int find_line(const Document& document, std::string_view path);

}  // namespace evictd::cluster
