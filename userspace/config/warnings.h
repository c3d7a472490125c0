// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"

namespace evictd::config {

/// Returns settings of `config` that are allowed but can hardly be intended. The thresholds of
/// `config` must be set. `own_file` is the name of evictd's own file as given; empty if there is
/// none.
[[nodiscard]] std::vector<Warning> find_warnings(const Config& config, std::string_view own_file);

}  // namespace evictd::config
