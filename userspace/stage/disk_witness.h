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
  /// The least that was left.
  Fullness lowest;
  /// When less than the threshold was first left.
  std::optional<MonoTime> crossing{};
  /// When, after the hog was dead, as much was left as before it was let go.
  std::optional<MonoTime> freed{};
};

using DiskWitness = WitnessThread<DiskTestimony>;

/// Starts to ask the filesystem how full it is, every 200 us. Errors: those of statvfs(3).
[[nodiscard]] Result<DiskWitness> watch_disk(const DiskWitnessOptions& options);

}  // namespace evictd::stage
