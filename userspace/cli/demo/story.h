// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/script.h"
#include "demo/verdict.h"

namespace evictd::demo {

/// What was seen, for a person to read: timeline, ranking, overshoot, and what polling would have
/// meant. Several lines, each with its end.
[[nodiscard]] std::string tell(const Evidence& evidence, const Script& script);

}  // namespace evictd::demo
