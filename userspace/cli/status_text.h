// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

namespace evictd::cli {

/// Prints the daemon's status for people: one table each for signals, pods and evictions. A field
/// that an older or newer daemon does not send is shown as "-".
void print_status(const nlohmann::ordered_json& status, std::ostream& out);

}  // namespace evictd::cli
