// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/config.h"
#include "eviction/manager.h"

namespace evictd::config {

/// Returns the part of a configuration that a pass uses.
[[nodiscard]] eviction::PassSettings pass_settings_of(const Config& config);

}  // namespace evictd::config
