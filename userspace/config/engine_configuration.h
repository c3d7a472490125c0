// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings.h"
#include "engine/configuration.h"

namespace evictd::config {

/// Fills in what the engine is configured with beside its manager (see pass_settings_of()), as far
/// as a configuration says it: the machine's limits of growth are not in one.
void configure(engine::Configuration& engine, const Settings& settings);

}  // namespace evictd::config
