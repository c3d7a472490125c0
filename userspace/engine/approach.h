// SPDX-License-Identifier: Apache-2.0
// What is worth doing about a threshold that is milliseconds away.
#pragma once

#include <cstdint>

#include "evictd/time.h"
#include "eviction/observation.h"
#include "eviction/pass_state.h"
#include "eviction/threshold_table.h"

namespace evictd::engine {

/// How much memory is used up in the time for which the engine prepares an eviction.
struct Approaching {
  /// Bytes a second.
  std::int64_t rate = 0;
  MonoTime now{};
};

/// Whether of the memory thresholds only soft ones are so near that they are crossed meanwhile, and
/// only to begin their grace period: nobody is signalled then. False if none is so near, as when
/// the value has turned, and for a grace period that `state` remembers and that is over by then.
[[nodiscard]] bool only_begins_grace(const eviction::ThresholdTable& thresholds,
                                     const eviction::PassState& state,
                                     const eviction::Observations& seen,
                                     const Approaching& approaching);

}  // namespace evictd::engine
