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

/// Maximum length of a line, in bytes. A longer one is skipped without being buffered. The largest
/// record, which ranks as many pods as a node may have, has a few MiB.
inline constexpr std::size_t kLongestRecordLine = std::size_t{16} << 20U;

/// One line of a record file.
struct RecordLine {
  nlohmann::ordered_json json;
  /// "FILE:LINE"; empty if the line is from no file.
  std::string place;
};

/// The lines of a record file and its rotated files, oldest first.
struct RecordLines {
  std::vector<RecordLine> lines;
  /// One text for each kind of unreadable line: "FILE:LINE: what", with the first such line.
  std::vector<std::string> warnings;
};

/// Reads FILE and FILE.1, FILE.2 and so on. Skips with a warning each line that is no JSON object
/// or is longer than kLongestRecordLine.
/// Errors: as open(2) and read(2) for FILE, which may be missing if FILE.1 exists. As "FILE:LINE:
/// what": kUnsupported for a newer schema, kInvalid for a duplicate key, kExhausted for a line
/// beyond base::JsonLimits in depth or members. As "FILE: what": kInvalid for a recording of
/// `evictd --record`.
[[nodiscard]] Result<RecordLines> read_record_file(const std::filesystem::path& file);

/// The same for text in memory; `name` appears in errors and warnings.
[[nodiscard]] Result<RecordLines> read_record_text(std::string_view text, std::string_view name);

}  // namespace evictd::exporting
