// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/bytes.h"
#include "evictd/load_stamps.h"
#include "evictd/time.h"

namespace evictd::demo {

/// The most by which one batch of the hog may raise the observed usage beyond its own pages. A CPU
/// charges 64 pages ahead (MEMCG_CHARGE_BATCH of the kernel, at least 5.15 to 6.18), and a hog that
/// migrates within a batch finds no stock on the new CPU.
[[nodiscard]] Bytes charged_ahead();

/// Observations of the hog, in bytes or tasks of the pod root.
struct SeenOfHog {
  /// The highest value that is not past the threshold.
  std::int64_t threshold = 0;
  /// How far below `threshold` the last stamped batch may end if the next one can cross it.
  std::int64_t reach = 0;
  /// The highest value that the witness saw.
  std::int64_t witnessed = 0;
  /// The first batch that ended past the threshold; unset if there is none.
  std::optional<load::LoadStamp> first_past{};
  /// The last batch; unset without batches.
  std::optional<load::LoadStamp> last{};
};

/// When the threshold was crossed: the end of the first batch past it. A hog that dies within the
/// crossing batch has not stamped it. Then it is the end of its last batch, a lower bound, if the
/// witness saw usage past the threshold or that batch ended within `reach` of it. nullopt if no
/// crossing was seen and the next batch could not have crossed.
[[nodiscard]] std::optional<MonoTime> crossing_of(const SeenOfHog& seen);

/// How far the highest value stayed below the threshold; 0 if it was past it.
[[nodiscard]] std::int64_t short_of(std::int64_t threshold, std::int64_t most);

}  // namespace evictd::demo
