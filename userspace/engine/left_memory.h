// SPDX-License-Identifier: Apache-2.0
// Memory that stays charged to the cgroups of killed victims, as input of the pass.
#pragma once

#include <span>
#include <vector>

#include "engine/victims.h"
#include "evictd/bytes.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// For a victim without a live process: the working set of `usage` if it exceeds `least`; else 0.
/// Inactive page cache is available anyway. Marks in `victim` when memory is first found.
[[nodiscard]] Bytes left_behind(Victim& victim, const CgroupUsage& usage, Bytes least);

/// Adds the memory of a victim that is over to `releasing`; it counts in the next choice.
void add_left(const Victim& victim, Bytes left, std::vector<eviction::ReleasingPod>& releasing);

/// Whether `releasing` holds any such memory.
[[nodiscard]] bool any_left(std::span<const eviction::ReleasingPod> releasing);

}  // namespace evictd::engine
