// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "replay/simulation.h"

namespace evictd::replay {

/// What a counterfactual could not take into account, or had to assume, because the recording does
/// not say it. One text each, in the order of docs/replay.md. `was` is the recorded configuration.
[[nodiscard]] std::vector<std::string> left_out(const Parts& parts, const WhatIf& changes,
                                                const config::Config& was, Simulation& simulation);

}  // namespace evictd::replay
