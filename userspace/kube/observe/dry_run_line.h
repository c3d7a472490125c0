// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evictd/result.h"
#include "export/comparison.h"

namespace evictd::kube {

/// The fields of an evictd journal line (docs/records.md) that a comparison needs.
struct ObservedLine {
  /// 0 if the line has none.
  std::uint64_t seq = 0;
  /// evictd no longer holds the lines between the cursor and this number; 0: no gap.
  std::uint64_t first = 0;
  /// Set for a decision that chose a pod, and for a start of evictd.
  std::optional<bool> is_dry_run{};
  /// The victim that a dry run chose.
  std::optional<exporting::ComparedEviction> decision{};
};

/// Reads a line. A line decides nothing if it shortened the grace period of an earlier victim, or
/// if it reports an eviction found in progress at a start. Errors: those of read_shaped(); kInvalid
/// if the text is no object.
[[nodiscard]] Result<ObservedLine> read_observed_line(std::string_view text);

}  // namespace evictd::kube
