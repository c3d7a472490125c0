// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "replay/replay.h"
#include "replay/what_if.h"

namespace evictd::cli {

/// Prints whether every decision came out as recorded, and the first one that did not.
void print_verification(const replay::Verification& verification, Duration wall_offset,
                        std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const replay::Verification& verification,
                                             Duration wall_offset);

/// Prints the recorded and the counterfactual decisions side by side. `changes` names what was
/// changed.
void print_counterfactual(const replay::Counterfactual& result, const std::string& changes,
                          Duration wall_offset, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const replay::Counterfactual& result,
                                             Duration wall_offset);

}  // namespace evictd::cli
