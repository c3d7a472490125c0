// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/config.h"
#include "core/clock.h"
#include "daemon/shared/hot_config.h"
#include "evictd/result.h"
#include "eviction/brakes.h"
#include "probe/ladder.h"
#include "probe/options.h"

namespace evictd::daemon {

/// The hot thread's part of `config`. `growth`: the assumed growth limits of this machine. Errors:
/// those of EvictionManager::create.
[[nodiscard]] Result<std::unique_ptr<HotConfig>> hot_config_of(
    const config::Config& config, const eviction::GrowthLimits& growth);

/// The machine that evictd runs on; measure_zeroing() states the cost.
[[nodiscard]] eviction::Machine measure_machine(const core::Clock& clock);

/// Whether the kernel side reports each cgroup that is created, removed, filled or emptied.
/// `ladder`: what was attached; nullptr without a kernel side.
[[nodiscard]] bool events_tell_pods(const config::Settings& settings, const probe::Ladder& ladder);

/// The row of hooks for notifications: the pinned one, "none" for reading files, empty for the best
/// one that works.
[[nodiscard]] std::string notify_hook(const config::Settings& settings);
/// The setting that makes notify_hook() "none", such as "eventSource is poll"; empty if it is not
/// "none".
[[nodiscard]] std::string no_notify_hook_because(const config::Settings& settings);

/// About how many of `limit` descriptors the clients of notifications may use.
[[nodiscard]] std::uint64_t notify_descriptors(const config::Settings& settings,
                                               std::uint64_t limit);

/// How to load the kernel side. Errors: kInvalid for an unknown purpose in attach.
[[nodiscard]] Result<probe::Options> probe_options_of(const config::Settings& settings);

}  // namespace evictd::daemon
