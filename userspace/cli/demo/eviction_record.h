// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::demo {

/// One place of the ranking as evictd gives it.
struct RankedPod {
  std::string name;
  std::string reason;
};

/// What evictd itself says of one eviction. Source: its control socket, {"op":"last_evictions"}.
/// The demonstration takes from it only what cannot be seen from outside: what evictd saw and when.
struct EvictionRecord {
  std::string pod;
  std::string uid;
  /// Not a new eviction: what was left of a victim's grace was cut.
  bool escalated = false;
  /// What the kernel side is attached to, each once.
  std::vector<std::string> hooks;
  /// What it was given, a part of a second counted as one.
  std::int64_t grace_seconds = 0;
  /// That was less than the configured one, as there was no time for more.
  bool grace_was_shortened = false;
  std::optional<MonoTime> hook;
  std::optional<MonoTime> wake;
  std::optional<MonoTime> observe;
  /// The first pass that found the threshold met, to the millisecond; with a grace period of the
  /// threshold long before `observe`. Unset where it is not known.
  std::optional<MonoTime> first_met;
  std::optional<MonoTime> decide;
  /// A pass before it held until the disk usage of pods was measured; of a record of its own.
  std::optional<MonoTime> held_for_usage{};
  /// The first signal, and SIGKILL: the same moment where there is no grace.
  std::optional<MonoTime> signal;
  std::optional<MonoTime> kill;
  /// The kill came before the grace was over.
  bool grace_was_cut = false;
  std::optional<MonoTime> exited;
  std::optional<MonoTime> freed;
  std::vector<RankedPod> ranking;
};

/// Reads the answer to last_evictions, oldest first.
/// Errors: kMalformed.
[[nodiscard]] Result<std::vector<EvictionRecord>> parse_evictions(std::string_view answer);

/// The eviction of the pod `uid` as a whole: what was seen, decided and signalled first is of the
/// record that began it; when it was killed and gone, of the one that cut its grace, if one did.
/// Nothing without a record of it.
[[nodiscard]] std::optional<EvictionRecord> eviction_of(const std::vector<EvictionRecord>& records,
                                                        std::string_view uid);

/// When a pass before that of `eviction` decided to hold until the disk usage of pods was measured,
/// by the answer to {"op":"records"}. Nothing if none did, or the answer is no such one.
[[nodiscard]] std::optional<MonoTime> held_for_usage(std::string_view answer,
                                                     const EvictionRecord& eviction);

}  // namespace evictd::demo
