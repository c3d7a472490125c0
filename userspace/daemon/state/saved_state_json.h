// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "daemon/state/saved_state.h"
#include "evictd/result.h"

namespace evictd::daemon {

[[nodiscard]] nlohmann::ordered_json to_json(const SavedState& state);

/// Reads the state in `json`, whatever its origin and time. Every number is within bounds that keep
/// arithmetic from overflowing. Errors: kMalformed for the first member that is missing or not
/// allowed: "evictions_ns[0]: not from 0 to 2305843009213693952: -5".
[[nodiscard]] Result<SavedState> read_saved_state(const nlohmann::ordered_json& json);

}  // namespace evictd::daemon
