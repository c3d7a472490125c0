// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "config/config.h"
#include "daemon/hot_config.h"
#include "evictd/result.h"
#include "probe/ladder.h"
#include "probe/options.h"

namespace evictd::daemon {

/// What the hot thread needs of `config`.
/// Errors: those of EvictionManager::create.
[[nodiscard]] Result<std::unique_ptr<HotConfig>> hot_config_of(const config::Config& config);

/// Whether the kernel side tells of each cgroup that comes, goes, fills or empties. `ladder`: what
/// was attached; nothing without a kernel side.
[[nodiscard]] bool events_tell_pods(const config::Settings& settings, const probe::Ladder& ladder);

/// How the kernel side is to be loaded. Errors: kInvalid for an unknown purpose in attach.
[[nodiscard]] Result<probe::Options> probe_options_of(const config::Settings& settings);

}  // namespace evictd::daemon
