// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"

namespace evictd::exporting {

/// A longer line is skipped, and not kept while it is read. Units: bytes. The largest record, which
/// ranks as many pods as a node may have, is a few MiB.
inline constexpr std::size_t kLongestRecordLine = std::size_t{16} << 20U;

/// One line of a record file.
struct RecordLine {
  nlohmann::ordered_json json;
  /// "FILE:LINE"; empty for one that is from no file.
  std::string place;
};

/// What is in a record file and in the rotated ones beside it, oldest line first.
struct RecordLines {
  std::vector<RecordLine> lines;
  /// A text for each kind of thing in a file that could not be read: "FILE:LINE: what", with the
  /// first line of the kind.
  std::vector<std::string> warnings;
};

/// Reads FILE and FILE.1, FILE.2 and so on. A line that is no JSON object, or longer
/// than kLongestRecordLine, is skipped with a warning.
/// Errors: as open(2) and read(2) for FILE, which need not be there where FILE.1 is; and, each as
/// "FILE:LINE: what", kUnsupported for a newer schema, kInvalid for a key that is there twice,
/// kExhausted for a line that nests deeper or has more members than base::JsonLimits; as "FILE:
/// what", kInvalid for a recording of `evictd
/// --record`.
[[nodiscard]] Result<RecordLines> read_record_file(const std::filesystem::path& file);

/// The same for text at hand; `name` is for errors and warnings.
[[nodiscard]] Result<RecordLines> read_record_text(std::string_view text, std::string_view name);

}  // namespace evictd::exporting
