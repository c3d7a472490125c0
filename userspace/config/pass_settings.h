// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/config.h"
#include "eviction/manager.h"

namespace evictd::config {

/// What a pass is configured with, of all that a configuration says.
[[nodiscard]] eviction::PassSettings pass_settings_of(const Config& config);

}  // namespace evictd::config
