// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "eviction/manager.h"
#include "replay/recording_reader.h"

namespace evictd::replay {

/// A recording taken apart. A pod that changed while it was recorded has several numbers; the first
/// of them is what it is told by here, its identity.
struct Parts {
  /// By number; nullptr where the recording has none.
  std::vector<const RecordedPod*> pods;
  std::vector<std::size_t> identity;
  std::vector<const RecordedPass*> passes;
  /// In order; not empty.
  std::vector<const RecordedConfig*> configs;
  /// Which of them each pass was run with, parallel to `passes`.
  std::vector<std::size_t> config_of;
  std::uint64_t missed_passes = 0;

  /// The last pass at or before `now`, the first one if there is none. `passes` is not empty.
  [[nodiscard]] std::size_t place_at(MonoTime now) const;
  [[nodiscard]] const RecordedPodPass* find(const RecordedPass& pass, std::size_t identity) const;
  /// The first that a pass was run with.
  [[nodiscard]] eviction::DiskLayout layout() const;
};

/// All borrowed from `recording`.
/// Errors: kMalformed without a pass or a configuration.
[[nodiscard]] Result<Parts> parts_of(const Recording& recording);

/// "namespace/name", or the uid of one without a name.
[[nodiscard]] std::string name_of(const RecordedPod& pod);

/// Identities of the pods that a pass sent a signal, or would have in a dry run. At most one for
/// node pressure, any number for limits on local storage.
[[nodiscard]] std::vector<std::size_t> signalled_in(const RecordedPass& pass, const Parts& parts);

/// What a pass gave between SIGTERM and SIGKILL; less than nothing is as nothing, see kill_after().
[[nodiscard]] std::chrono::milliseconds grace_of(const RecordedPass& pass);
[[nodiscard]] bool is_in_grace(eviction::Standing standing);
/// When SIGKILL follows a SIGTERM: no later than a day after it.
[[nodiscard]] MonoTime kill_after(MonoTime asked_at, std::chrono::milliseconds grace);

/// So much after it was due SIGKILL may have been sent at the latest.
inline constexpr Duration kLateKill = std::chrono::seconds(1);

/// How a pod was ended in the recording.
struct RecordedEnd {
  std::size_t pod = 0;
  /// When it was sent its first signal.
  MonoTime asked_at{};
  /// When SIGKILL was due: a grace may be cut, and is never extended.
  MonoTime kill_at{};
  /// The last pass up to then at which it was still there.
  MonoTime last_seen{};
  /// It was gone by itself before SIGKILL was due.
  bool left_early = false;
};
/// One for each pod that was sent a signal, no dry run among them, in the order of `asked_at`.
[[nodiscard]] std::vector<RecordedEnd> recorded_ends(const Parts& parts);

/// One eviction, recorded or as it would have been.
struct Eviction {
  MonoTime at{};
  /// Identity of the pod.
  std::size_t pod = 0;
  std::string name;
  std::string uid;
  std::string signal;
  std::string threshold;
  /// "emptydirfs.limit" and so on, with neither signal nor threshold; else empty.
  std::string local_limit;
  /// Bytes, tasks or inodes that were left of the signal.
  std::int64_t available = 0;
  std::chrono::milliseconds grace{0};
  bool escalated = false;
  /// Nobody was signalled.
  bool dry_run = false;
};

/// One of that pod, with nothing yet of what it was for.
[[nodiscard]] Eviction begin_eviction(const Parts& parts, std::size_t pod, MonoTime at,
                                      std::chrono::milliseconds grace);

/// Whether it was to free a disk: its victim is awaited until it has.
[[nodiscard]] bool is_of_disk(const Eviction& eviction);

/// A manager with each configuration of the recording, with the thresholds that its passes had,
/// parallel to Parts::configs. Those of one without a pass lack what the disk layout adds.
/// Errors: those of config::parse() and EvictionManager::create().
[[nodiscard]] Result<std::vector<eviction::EvictionManager>> recorded_managers(const Parts& parts);

/// Every eviction of the recording, in order. `managers` are those of recorded_managers().
[[nodiscard]] std::vector<Eviction> recorded_evictions(
    const Parts& parts, const std::vector<eviction::EvictionManager>& managers);

/// A stretch in which collectors ran, and what was free afterwards and not before. One that the
/// recording does not see the end of ends right after its last pass.
struct RecordedReclaim {
  MonoTime begin{};
  MonoTime end{};
  eviction::Observations before;
  eviction::Observations after;
};
[[nodiscard]] std::vector<RecordedReclaim> recorded_reclaims(const Parts& parts);

}  // namespace evictd::replay
