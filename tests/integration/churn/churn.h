// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "evictd/result.h"
#include "evictd/time.h"
#include "floor.h"

namespace evictd::churn {

struct ChurnOptions {
  FloorOptions floor;
  std::uint64_t seed = 0;
  /// Rounds are begun until either is reached; one of them is given. There are at least two by
  /// time: the second is the first that is compared with an earlier one.
  std::optional<std::uint64_t> rounds;
  std::optional<Duration> time;
  /// Of an audit.
  Duration patience = std::chrono::seconds{30};
  /// What a pod that oscillates may cost evictd, in percent of a core; nothing: it is only told.
  std::optional<double> most_cpu;
};

/// Lets pods come, move and go in rounds, then one oscillate, and judges evictd after each of these
/// and once more after its end. Tells of them on standard output, and of what is wrong on standard
/// error.
/// True: nothing was wrong. Errors: what kept it from going on.
[[nodiscard]] Result<bool> churn(const ChurnOptions& options);

}  // namespace evictd::churn
