// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings.h"
#include "engine/configuration.h"
#include "eviction/observation.h"
#include "poll/interval.h"

namespace evictd::daemon {

/// What the hot thread needs of a configuration, prepared by housekeeping and swapped whole.
struct HotConfig : engine::Configuration {
  using engine::Configuration::Configuration;

  poll::IntervalOptions interval;
  config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
  eviction::MemoryRules memory;
};

}  // namespace evictd::daemon
