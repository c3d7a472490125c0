// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/bytes.h"
#include "evictd/load_stamps.h"
#include "evictd/time.h"

namespace evictd::demo {

/// What one batch of the hog may add to the usage that is seen, beside its own pages: a CPU charges
/// 64 pages ahead (MEMCG_CHARGE_BATCH of the kernel, at least 5.15 to 6.18), and a hog that changes
/// its CPU within a batch finds no stock on the other one.
[[nodiscard]] Bytes charged_ahead();

/// Where the hog was seen, in bytes or tasks of the pod root.
struct SeenOfHog {
  /// Just not past the threshold.
  std::int64_t threshold = 0;
  /// How far below it the last stamped batch may have ended when the next one crossed.
  std::int64_t reach = 0;
  /// The most that the witness saw.
  std::int64_t witnessed = 0;
  /// The first batch at whose end it was past the threshold; unset if there is none.
  std::optional<load::LoadStamp> first_past{};
  /// The last batch; unset without any.
  std::optional<load::LoadStamp> last{};
};

/// When the threshold was crossed: the end of the first batch past it. A hog that dies within the
/// batch that crosses has stamped none: then the end of its last one, as it was not earlier, if the
/// witness saw it past the threshold or the last batch ended within reach of it. Nothing where
/// nobody saw a crossing and the next batch could not have made one.
[[nodiscard]] std::optional<MonoTime> crossing_of(const SeenOfHog& seen);

/// How far below the threshold the most stayed that was seen; 0 if that was past it.
[[nodiscard]] std::int64_t short_of(std::int64_t threshold, std::int64_t most);

}  // namespace evictd::demo
