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

/// One place of evictd's ranking.
struct RankedPod {
  std::string name;
  std::string reason;
};

/// evictd's own report of one eviction. Source: its control socket, {"op":"last_evictions"}. The
/// demonstration uses it only for what is invisible from outside: what evictd saw and when.
struct EvictionRecord {
  std::string uid;
  /// Not a new eviction: the rest of a victim's grace was cut.
  bool escalated = false;
  /// The hooks that the kernel side is attached to, each once.
  std::vector<std::string> hooks;
  /// The grace given, rounded up to whole seconds.
  std::int64_t grace_seconds = 0;
  /// Less than the configured grace was given, because time was short.
  bool grace_was_shortened = false;
  std::optional<MonoTime> hook;
  /// The pass was the rehearsal that the kernel side had asked for before the crossing.
  bool rehearsed = false;
  std::optional<MonoTime> wake;
  std::optional<MonoTime> observe;
  /// The first pass that found the threshold met, to the millisecond. With a grace period of the
  /// threshold it is long before `observe`. Unset if unknown.
  std::optional<MonoTime> first_met;
  std::optional<MonoTime> decide;
  /// An earlier pass held until the pods' disk usage was measured; that pass has a record of its
  /// own.
  std::optional<MonoTime> held_for_usage{};
  /// The first signal and SIGKILL; both moments are the same without a grace period.
  std::optional<MonoTime> signal;
  std::optional<MonoTime> kill;
  /// SIGKILL came before the grace period ended.
  bool grace_was_cut = false;
  std::optional<MonoTime> exited;
  std::optional<MonoTime> freed;
  std::vector<RankedPod> ranking;
};

/// Parses the answer to last_evictions, oldest first. Errors: kMalformed.
[[nodiscard]] Result<std::vector<EvictionRecord>> parse_evictions(std::string_view answer);

/// The whole eviction of the pod `uid`. Observation, decision and first signal are from the record
/// that began it. Kill and release are from the escalation that cut its grace, if there was one.
/// nullopt without a record.
[[nodiscard]] std::optional<EvictionRecord> eviction_of(const std::vector<EvictionRecord>& records,
                                                        std::string_view uid);

/// When a pass before that of `eviction` decided to hold until the pods' disk usage was measured.
/// `answer` is the answer to {"op":"records"}. nullopt if there was no such pass or `answer` is
/// invalid.
[[nodiscard]] std::optional<MonoTime> held_for_usage(std::string_view answer,
                                                     const EvictionRecord& eviction);

}  // namespace evictd::demo
