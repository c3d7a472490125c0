// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config.h"

namespace evictd::config {

/// What `config`, whose thresholds are known, allows but can hardly mean.
[[nodiscard]] std::vector<Warning> find_warnings(const Config& config);

}  // namespace evictd::config
