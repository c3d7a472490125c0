// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "evictd/time.h"
#include "export/record_reader.h"

namespace evictd::cli {

/// Lines of the journal, oldest first.
using JournalLines = std::vector<nlohmann::ordered_json>;

/// Those of a record file that tell of `since` or later, by their time; one without a time does.
[[nodiscard]] JournalLines lines_since(const std::vector<exporting::RecordLine>& lines,
                                       WallTime since);

/// The lines of the daemon's record file and of its memory, each once. One that the file lacks,
/// because it is not written yet or could not be, stands before the line that it was told before.
[[nodiscard]] JournalLines merge_lines(JournalLines file, JournalLines memory);

}  // namespace evictd::cli
