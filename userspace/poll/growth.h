// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd::poll {

/// Growth per second between two readings, negative while usage falls. Readings less than a
/// millisecond apart count as a millisecond apart: a batch of charges between them would look like
/// terabytes a second. 0 without an earlier reading (-1 bytes) or without time between.
[[nodiscard]] std::int64_t growth_per_second(Bytes earlier, MonoTime earlier_at, Bytes later,
                                             MonoTime later_at);

/// The same of an amount in any unit.
[[nodiscard]] std::int64_t growth_per_second(std::int64_t earlier, MonoTime earlier_at,
                                             std::int64_t later, MonoTime later_at);

}  // namespace evictd::poll
