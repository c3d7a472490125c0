// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"

namespace evictd::config {

/// What `config`, whose thresholds are known, allows but can hardly mean. `own_file` is how
/// evictd's own file was named; empty if there is none.
[[nodiscard]] std::vector<Warning> find_warnings(const Config& config, std::string_view own_file);

}  // namespace evictd::config
