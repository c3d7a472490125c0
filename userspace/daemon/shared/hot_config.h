// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings.h"
#include "engine/configuration.h"
#include "eviction/observation.h"
#include "poll/interval.h"

namespace evictd::daemon {

/// The part of a configuration that the hot thread needs. Housekeeping prepares it and swaps the
/// whole object.
struct HotConfig : engine::Configuration {
  using engine::Configuration::Configuration;

  poll::IntervalOptions interval;
  config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
  eviction::MemoryRules memory;
};

}  // namespace evictd::daemon
