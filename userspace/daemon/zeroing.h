// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "evictd/bytes.h"

namespace evictd::daemon {

/// How many bytes a second one CPU of this machine fills with zeros, which is the least that a page
/// costs who takes it. By CPU time, so that other load makes it no smaller; the best of a few runs.
/// Zero where no memory could be had. Cost: some milliseconds and 16 MiB for as long; call it
/// before memory is locked.
[[nodiscard]] Bytes measure_zeroing(const core::Clock& clock);

}  // namespace evictd::daemon
