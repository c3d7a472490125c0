// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "evictd/result.h"
#include "eviction/compat.h"
#include "replay/recorded.h"
#include "replay/recording_reader.h"

namespace evictd::replay {

/// What is to be otherwise than it was recorded.
struct WhatIf {
  /// Unset: the recorded configuration.
  std::optional<config::Config> config;
  std::optional<eviction::Compat> compat;
  /// Period of regular passes; unset: as recorded, and without events the configuration's own.
  std::optional<Duration> interval;
  bool without_events = false;

  [[nodiscard]] bool asked() const { return config || compat || interval || without_events; }
};

/// The kernel would have run out of memory.
struct OutOfMemory {
  MonoTime at{};
  std::string signal;
};

/// What was and what would have been of one pod.
struct Comparison {
  std::optional<Eviction> recorded;
  std::optional<Eviction> instead;
  /// How much later, and how much more would have been used by then; both can be negative. Set
  /// where there is both.
  std::optional<Duration> later;
  std::optional<std::int64_t> more_used;
  /// Set where the kernel's OOM killer would have come before the pod was gone, its grace included,
  /// by the recorded rates.
  std::optional<OutOfMemory> oom_first;
  /// Set where there is no `instead` because none was looked for: the recording ends, so long after
  /// the recorded eviction, before another pass.
  std::optional<Duration> cut_off;
};

struct Counterfactual {
  std::vector<Comparison> evictions;
  /// Passes that were run, on what the node would have been like.
  std::uint64_t passes = 0;
  /// Of them those that a brake held, by Reason.
  std::map<std::string, std::uint64_t> held;
  /// What could not be taken into account, or was assumed, one text each.
  std::vector<std::string> left_out;
};

/// Runs the recording with something otherwise. Where another pod or a later moment would have been
/// chosen the rest is extrapolated, as World does it.
/// Errors: kMalformed for a recording without a pass or configuration; those of
/// EvictionManager::create().
[[nodiscard]] Result<Counterfactual> what_if(const Recording& recording, const WhatIf& changes);

}  // namespace evictd::replay
