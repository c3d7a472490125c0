// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "evictd/bytes.h"

namespace evictd::daemon {

/// Bytes a second that one CPU of this machine fills with zeros: the minimum cost of a page for the
/// task that takes it. Measured in CPU time, so that other load does not lower it; the best of a
/// few runs. Zero if there was no memory. Cost: some milliseconds, and 16 MiB meanwhile. Call it
/// before memory is locked.
[[nodiscard]] Bytes measure_zeroing(const core::Clock& clock);

}  // namespace evictd::daemon
