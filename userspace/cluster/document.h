// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "cluster/document_format.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// What one text may cost: a manifest comes from outside and may be hostile.
struct DocumentLimits {
  /// etcd stores no object above 1.5 MiB; a list of 110 pods is about 1 MiB.
  std::size_t bytes = std::size_t{4} << 20;
  /// Of objects and lists in each other, aliases counted as what they stand for. A v1.Pod is 14
  /// levels deep at most.
  std::size_t depth = 64;
  /// Scalars, sequences and mappings in all documents, aliases counted as what they stand for.
  std::size_t values = 200'000;
};

/// One document of a text and the line, from 1, on which it begins.
struct Document {
  nlohmann::json value;
  int line = 1;
  /// Lines of the elements of the member "items", if the document is such a list.
  std::vector<int> item_lines;
};

/// Reads all documents of `text`; a YAML text may have several, empty ones are left out.
/// Plain YAML scalars become null, booleans and numbers as in YAML 1.2's core schema, else texts;
/// so does a number with a leading zero, which is another number in YAML 1.1. Errors, each as
/// "NAME:LINE: what": kMalformed for bytes that are no UTF-8, for control characters other than tab
/// and the ends of lines, and for text that is no YAML or JSON; kInvalid for a key that is there
/// twice or is no scalar, a merge key, a tag of the application's own, or a number of JSON that no
/// double holds; kExhausted beyond a limit.
[[nodiscard]] Result<std::vector<Document>> parse_documents(std::string_view text,
                                                            std::string_view name,
                                                            DocumentFormat format,
                                                            const DocumentLimits& limits = {});

/// The line of the value at `path` ("spec.containers[1].name") in the document that begins on
/// `document_line`; that line itself if there is no such value. Reads the text once more, so only
/// for the text of an error.
[[nodiscard]] int find_line(std::string_view text, DocumentFormat format, int document_line,
                            std::string_view path);

}  // namespace evictd::cluster
