// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evictd/result.h"
#include "export/comparison.h"

namespace evictd::kube {

/// What a comparison needs of a line of evictd's journal (docs/records.md).
struct ObservedLine {
  /// 0 where it has none.
  std::uint64_t seq = 0;
  /// evictd's memory has nothing between the cursor and this number; 0: it has all.
  std::uint64_t first = 0;
  /// Of a decision that chose a pod, and of a start of evictd.
  std::optional<bool> is_dry_run{};
  /// Whom a dry run chose.
  std::optional<exporting::ComparedEviction> decision{};
};

/// Reads a line. Nothing is decided by one that cut the grace of an earlier victim, or that a start
/// found under way. Errors: those of read_shaped(); kInvalid for what is no object.
[[nodiscard]] Result<ObservedLine> read_observed_line(std::string_view text);

}  // namespace evictd::kube
