// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "eviction/quantity.h"

namespace evictd::test {

/// What Kubernetes' own Value() gives: quantity.value() where that fits. What does not fit wraps or
/// becomes zero there, and a negative amount that it holds in arbitrary precision wraps early. Its
/// documentation says no more than that amounts may overflow; the recorded values show how, which
/// depends on the way an amount is held. For answers that must be its own to the digit.
[[nodiscard]] std::int64_t kubernetes_value(const eviction::Quantity& quantity);

}  // namespace evictd::test
