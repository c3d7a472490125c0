// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/script.h"
#include "demo/verdict.h"

namespace evictd::demo {

/// A report of the run for people: timeline, ranking, overshoot, and a comparison with polling.
/// Several lines, each with its line end.
[[nodiscard]] std::string tell(const Evidence& evidence, const Script& script);

}  // namespace evictd::demo
