// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/kernel_clock.h"
#include "probe/counters.h"
#include "probe/events.h"

namespace evictd::probe {

/// Result of decoding one record of the ring.
struct Decoded {
  bool ok = false;
  EventKind kind{};
};

/// Checks one record of `size` bytes and passes it to `sink`, with its time converted by `clock`.
/// Not ok, and not passed on: the record is too short for its kind, its size field disagrees, or a
/// kind or enumerator is unknown. No allocation.
[[nodiscard]] Decoded decode(const void* record, std::size_t size, const base::KernelClock& clock,
                             EventSink& sink);

}  // namespace evictd::probe
