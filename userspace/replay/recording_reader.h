// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "evictd/result.h"
#include "replay/recording.h"

namespace evictd::replay {

/// How a recording ended: "stopped", "size", "time" or "failed"; a recording without one was cut
/// short.
struct RecordingEnd {
  std::string why;
};

/// A line of the journal, as docs/records.md has them.
struct RecordedEvent {
  Json line;
};

using RecordedItem =
    std::variant<RecordedConfig, RecordedPod, RecordedPass, RecordedEvent, RecordingEnd>;

/// A recording in memory, in the order in which things happened.
struct Recording {
  RecordingHeader header;
  std::vector<RecordedItem> items;
  /// What is missing at the end, if anything is; what there is, is whole.
  std::string warning;
};

/// Reads a recording.
/// Errors: as open(2) and read(2). kMalformed for what is no recording, or is damaged before its
/// end, with the line ("FILE: line 7: pods[2].n: not a whole number"). kInvalid for a key that is
/// there twice, kUnsupported for another version. kExhausted for one that would not fit into
/// memory, or exceeds base::JsonLimits in depth or members.
[[nodiscard]] Result<Recording> read_recording(const std::filesystem::path& file);

/// The same for bytes at hand; `name` is for errors.
[[nodiscard]] Result<Recording> parse_recording(std::string_view bytes, std::string_view name);

}  // namespace evictd::replay
