// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "evictd/load_stamps.h"
#include "load/stamp_log.h"

namespace evictd::demo {

/// Units per second of a load in the middle one of sixteen equal parts of its work. Another process
/// on the machine disturbs some parts but not this one; a brake on the load slows all of them. 0
/// with fewer than two batches.
[[nodiscard]] double typical_rate(const std::vector<load::LoadStamp>& batches);

/// The rate limit for a load that should do `wished` units per second and did `possible` alone at
/// full speed. It is at most half of `possible`, so that another process on the machine does not
/// make the load look held back.
[[nodiscard]] double rate_with_room(double wished, double possible);

/// All batches still in `log`, oldest first.
[[nodiscard]] std::vector<load::LoadStamp> batches_of(const load::StampLog& log);

}  // namespace evictd::demo
