// SPDX-License-Identifier: Apache-2.0
// What stays charged to the cgroups of dead victims, as the engine tells the pass of it.
#pragma once

#include <span>
#include <vector>

#include "engine/victims.h"
#include "evictd/bytes.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// Of a victim whose last process is gone, the working set of `usage` where that is more than
/// `least`; 0 of others. Inactive page cache is available as it is. Notes in `victim`
/// when there was some first.
[[nodiscard]] Bytes left_behind(Victim& victim, const CgroupUsage& usage, Bytes least);

/// Tells of it for one that is over, which counts where a next victim is chosen.
void add_left(const Victim& victim, Bytes left, std::vector<eviction::ReleasingPod>& releasing);

/// Whether there is any.
[[nodiscard]] bool any_left(std::span<const eviction::ReleasingPod> releasing);

}  // namespace evictd::engine
