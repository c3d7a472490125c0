// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/kernel_clock.h"
#include "probe/counters.h"
#include "probe/events.h"

namespace evictd::probe {

/// What became of one record of the ring.
struct Decoded {
  bool ok = false;
  EventKind kind{};
};

/// Checks one record of `size` bytes and hands it to `sink`, its moment turned by `clock`. Not ok,
/// and nothing handed over: shorter than its kind needs, its own size field disagrees, or an
/// unknown kind or enumerator. No allocation.
[[nodiscard]] Decoded decode(const void* record, std::size_t size, const base::KernelClock& clock,
                             EventSink& sink);

}  // namespace evictd::probe
