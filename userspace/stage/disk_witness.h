// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/loop_filesystem.h"
#include "stage/witness_thread.h"

namespace evictd::stage {

struct DiskWitnessOptions {
  std::filesystem::path path;
  /// The threshold is crossed when less than one of these is left; 0 for none.
  Fullness threshold;
};

/// What the witness saw.
struct DiskTestimony {
  /// The lowest values.
  Fullness lowest;
  /// When less than the threshold was first left.
  std::optional<MonoTime> crossing{};
  /// When, after the hog's death, as much was left as before its start.
  std::optional<MonoTime> freed{};
};

using DiskWitness = WitnessThread<DiskTestimony>;

/// Starts to read the filesystem's fullness every 200 us. Errors: those of statvfs(3).
[[nodiscard]] Result<DiskWitness> watch_disk(const DiskWitnessOptions& options);

}  // namespace evictd::stage
