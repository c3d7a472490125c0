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
  /// Rounds are begun until either is reached; one of them is given.
  std::optional<std::uint64_t> rounds;
  std::optional<Duration> time;
  /// Of an audit.
  Duration patience = std::chrono::seconds{30};
};

/// Lets pods come and go in rounds, and judges evictd after each and once more after its end. Tells
/// of every round on standard output, and of what is wrong on standard error.
/// True: nothing was wrong. Errors: what kept it from going on.
[[nodiscard]] Result<bool> churn(const ChurnOptions& options);

}  // namespace evictd::churn
