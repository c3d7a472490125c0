// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "eviction/quantity.h"

namespace evictd::test {

/// The result of Kubernetes' own Value(): quantity.value() if it fits. Otherwise the result wraps
/// or becomes zero, and a negative quantity in arbitrary precision wraps early. Kubernetes
/// documents only that quantities may overflow. The recorded values show how, which depends on the
/// quantity's representation. For results that must equal Kubernetes' own to the digit.
[[nodiscard]] std::int64_t kubernetes_value(const eviction::Quantity& quantity);

}  // namespace evictd::test
