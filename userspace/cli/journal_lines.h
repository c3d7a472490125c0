// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "evictd/time.h"
#include "export/record_reader.h"

namespace evictd::cli {

/// Lines of the journal, oldest first.
using JournalLines = std::vector<nlohmann::ordered_json>;

/// The lines of a record file from `since` on, by their time. Includes lines without a time.
[[nodiscard]] JournalLines lines_since(const std::vector<exporting::RecordLine>& lines,
                                       WallTime since);

/// The lines of the daemon's record file and of its memory, each once. A line that the file lacks
/// (not written yet, or failed to write) is placed before the next line in memory that the file
/// has.
[[nodiscard]] JournalLines merge_lines(JournalLines file, JournalLines memory);

}  // namespace evictd::cli
