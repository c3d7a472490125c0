// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/config.h"
#include "core/clock.h"
#include "daemon/hot_config.h"
#include "evictd/result.h"
#include "eviction/brakes.h"
#include "probe/ladder.h"
#include "probe/options.h"

namespace evictd::daemon {

/// What the hot thread needs of `config`. `growth`: what is believed on this machine.
/// Errors: those of EvictionManager::create.
[[nodiscard]] Result<std::unique_ptr<HotConfig>> hot_config_of(
    const config::Config& config, const eviction::GrowthLimits& growth);

/// The machine that evictd runs on; see measure_zeroing() for the cost.
[[nodiscard]] eviction::Machine measure_machine(const core::Clock& clock);

/// Whether the kernel side tells of each cgroup that comes, goes, fills or empties. `ladder`: what
/// was attached; nothing without a kernel side.
[[nodiscard]] bool events_tell_pods(const config::Settings& settings, const probe::Ladder& ladder);

/// The row of hooks for notifications: the one that is pinned, "none" for reading files, empty for
/// the best that works.
[[nodiscard]] std::string notify_hook(const config::Settings& settings);
/// By which key notify_hook() is "none": "eventSource is poll"; empty where it is not.
[[nodiscard]] std::string no_notify_hook_because(const config::Settings& settings);

/// How many of `limit` descriptors the clients of notifications may take up, about.
[[nodiscard]] std::uint64_t notify_descriptors(const config::Settings& settings,
                                               std::uint64_t limit);

/// How the kernel side is to be loaded. Errors: kInvalid for an unknown purpose in attach.
[[nodiscard]] Result<probe::Options> probe_options_of(const config::Settings& settings);

}  // namespace evictd::daemon
