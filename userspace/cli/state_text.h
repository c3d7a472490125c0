// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::cli {

/// The state of an eviction for people. A pod that was not gone in time has the name of the event,
/// "ExceededGracePeriod".
[[nodiscard]] std::string state_text(std::string_view state);

/// The same for a dry run, as a predicate: "counts as killed".
[[nodiscard]] std::string dry_run_state_text(std::string_view state);

}  // namespace evictd::cli
