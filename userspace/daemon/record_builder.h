// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_table.h"
#include "core/clock.h"
#include "daemon/container_memory.h"
#include "daemon/messages.h"
#include "disk/pod_storage.h"
#include "eviction/compat.h"
#include "eviction/threshold_table.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// What a record needs besides the message of the hot thread.
struct RecordContext {
  const eviction::ThresholdTable& thresholds;
  eviction::Compat compat = eviction::Compat::k1_32;
  /// The victim as the sources know it; nullptr when it is gone from them already.
  const cluster::PodEntry* victim = nullptr;
  /// What was measured of its files; nullptr without a measurement.
  const disk::PodStorage* storage = nullptr;
  /// What its containers used before the pass, as far as that is known.
  std::vector<ContainerSample> containers = {};
  /// What the last collectors to run had done when the pass decided; told of a pass that waited.
  std::vector<exporting::RecordedCollector> collectors = {};
  /// The pass of an eviction for local storage; nullptr where no copy of it was left.
  const PassCopy* pass = nullptr;
  /// Of a pass that waited for collectors: the record of its beginning told of the threshold.
  bool threshold_told = false;
  /// When the record is made; its time is that of the decision.
  core::ClockReading now{};
};

/// Tells the story of a pass from what it saw: who was evicted or why nobody was, texts, ranking
/// with reasons, observations, thresholds. Without a copy (none was left) the record has the victim
/// and the timeline only.
[[nodiscard]] exporting::EvictionRecord make_record(const PassDone& done,
                                                    const RecordContext& context);

/// The same for a pod that exceeds a limit on local storage: no ranking chose it.
[[nodiscard]] exporting::EvictionRecord make_record(const LocalEvictionBegun& begun,
                                                    const RecordContext& context);

/// A limit on local storage that a pod exceeds, as it was found in `pod` and `statistics`.
struct MeasuredBreach {
  const eviction::Pod& pod;
  const eviction::PodStatistics& statistics;
  eviction::LocalStorageBreach breach;
  MonoTime measured_at{};
  disk::StorageMethod method = disk::StorageMethod::kNone;
  /// False: something could not be counted.
  bool complete = true;
};
/// The same as a record has it. `now` is when the pass had all readings.
[[nodiscard]] exporting::RecordedLocalStorage make_local_storage(const MeasuredBreach& measured,
                                                                 eviction::DiskLayout layout,
                                                                 eviction::Compat compat,
                                                                 MonoTime now);

/// Every pod of a pass beside its limits on local storage, in the order of the pass; empty where
/// none exceeded one.
[[nodiscard]] std::vector<exporting::RecordedLocalCandidate> make_local_candidates(
    const PassCopy& copy, eviction::Compat compat, MonoTime now);

/// Those among them that exceed a limit and that something protects: "UID LIMIT RULE".
[[nodiscard]] std::vector<std::string> spared_for_local_storage(
    const std::vector<exporting::RecordedLocalCandidate>& candidates);

/// Every candidate of a pass in the order of the ranking for `signal`, each with its reason.
[[nodiscard]] std::vector<exporting::RecordedCandidate> make_ranking(const PassCopy& copy,
                                                                     eviction::Signal signal,
                                                                     MonoTime now);

/// "files" or "bpf", as records have it.
[[nodiscard]] std::string_view name_of(UsageSource source);

/// How each threshold stood in a pass that was run at `now`.
[[nodiscard]] std::vector<exporting::RecordedThreshold> make_thresholds(
    const PassCopy& copy, const eviction::ThresholdTable& thresholds, MonoTime now);

/// What the OOM guard saw in a pass; nothing where it was not observed.
[[nodiscard]] std::optional<exporting::RecordedGuard> make_guard(const PassCopy& copy);

/// Every signal that a pass saw, with age, source and error bound.
[[nodiscard]] std::vector<exporting::RecordedObservation> make_observations(const PassCopy& copy,
                                                                            MonoTime now);

}  // namespace evictd::daemon
