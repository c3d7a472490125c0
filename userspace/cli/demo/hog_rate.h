// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "evictd/load_stamps.h"
#include "load/stamp_log.h"

namespace evictd::demo {

/// Units a second that a load does in the middle one of sixteen equal parts of what it did. A
/// neighbour on the machine disturbs some parts and not this one; who holds the load back holds
/// back all of them. 0 with fewer than two batches.
[[nodiscard]] double typical_rate(const std::vector<load::LoadStamp>& batches);

/// The rate to hold a load to that should do `wished` units a second and did `possible` alone and
/// at full speed: half of what is possible where that is less, so that a neighbour on the machine,
/// who takes some of it, does not hold the load back.
[[nodiscard]] double rate_with_room(double wished, double possible);

/// Every batch that `log` still has, oldest first.
[[nodiscard]] std::vector<load::LoadStamp> batches_of(const load::StampLog& log);

}  // namespace evictd::demo
