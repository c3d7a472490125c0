// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evictd/time.h"

namespace evictd::kube {

/// "2026-11-20T22:03:11Z", as the API writes a Time; drops fractions of a second.
[[nodiscard]] std::string whole_seconds(WallTime moment);

}  // namespace evictd::kube
