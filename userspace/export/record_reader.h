// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"

namespace evictd::exporting {

/// What is in a record file and in the rotated ones beside it, oldest line first.
struct RecordLines {
  std::vector<nlohmann::ordered_json> lines;
  /// One text for each file of which something could not be read: "FILE:LINE: what".
  std::vector<std::string> warnings;
};

/// Reads FILE and FILE.1, FILE.2 and so on. A line that is no JSON object is skipped with a
/// warning.
/// Errors: as open(2) for FILE; and, each as "FILE:LINE: what", kUnsupported for a newer schema,
/// kInvalid for a key that is there twice, kExhausted for a line that nests deeper or has more
/// members than base::JsonLimits; as "FILE: what", kInvalid for a recording of `evictd --record`.
[[nodiscard]] Result<RecordLines> read_record_file(const std::filesystem::path& file);

/// The same for text at hand; `name` is for errors and warnings.
[[nodiscard]] Result<RecordLines> read_record_text(std::string_view text, std::string_view name);

}  // namespace evictd::exporting
