// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_table.h"
#include "core/clock.h"
#include "daemon/pods/container_memory.h"
#include "daemon/shared/messages.h"
#include "disk/pod_storage.h"
#include "eviction/compat.h"
#include "eviction/threshold_table.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// What a record needs besides the hot thread's message.
struct RecordContext {
  const eviction::ThresholdTable& thresholds;
  eviction::Compat compat = eviction::Compat::k1_32;
  /// The victim according to the sources; nullptr if they no longer have it.
  const cluster::PodEntry* victim = nullptr;
  /// Measurement of its files; nullptr without one.
  const disk::PodStorage* storage = nullptr;
  /// Memory use of its containers before the pass, as far as known.
  std::vector<ContainerSample> containers = {};
  /// State of the last collectors when the pass decided; recorded for a pass that waited.
  std::vector<exporting::RecordedCollector> collectors = {};
  /// The pass of an eviction for local storage; nullptr if it left no copy.
  const PassCopy* pass = nullptr;
  /// For a pass that waited for collectors: the record of its beginning reported the threshold.
  bool threshold_told = false;
  /// When the record is created; its time is that of the decision.
  core::ClockReading now{};
};

/// Builds the record of a pass: the victim, or why there is none, texts, ranking with reasons,
/// observations, thresholds. If no copy is left, the record has only the victim and the timeline.
[[nodiscard]] exporting::EvictionRecord make_record(const PassDone& done,
                                                    const RecordContext& context);

/// The same for a pod that exceeds a limit on local storage; it has no ranking.
[[nodiscard]] exporting::EvictionRecord make_record(const LocalEvictionBegun& begun,
                                                    const RecordContext& context);

/// A limit on local storage that a pod exceeds, as found in `pod` and `statistics`.
struct MeasuredBreach {
  const eviction::Pod& pod;
  const eviction::PodStatistics& statistics;
  eviction::LocalStorageBreach breach;
  MonoTime measured_at{};
  disk::StorageMethod method = disk::StorageMethod::kNone;
  /// False: something could not be counted.
  bool complete = true;
};
/// The same in a record's form. `now` is when the pass had all readings.
[[nodiscard]] exporting::RecordedLocalStorage make_local_storage(const MeasuredBreach& measured,
                                                                 eviction::DiskLayout layout,
                                                                 eviction::Compat compat,
                                                                 MonoTime now);

/// Every pod of a pass with its limits on local storage, in the order of the pass; empty if none
/// exceeds a limit.
[[nodiscard]] std::vector<exporting::RecordedLocalCandidate> make_local_candidates(
    const PassCopy& copy, eviction::Compat compat, MonoTime now);

/// The protected pods among those that exceed a limit: "UID LIMIT RULE".
[[nodiscard]] std::vector<std::string> spared_for_local_storage(
    const std::vector<exporting::RecordedLocalCandidate>& candidates);

/// Every candidate of a pass in the order of the ranking for `signal`, each with its reason.
[[nodiscard]] std::vector<exporting::RecordedCandidate> make_ranking(const PassCopy& copy,
                                                                     eviction::Signal signal,
                                                                     MonoTime now);

/// The name in records: "files" or "bpf".
[[nodiscard]] std::string_view name_of(UsageSource source);

/// State of each threshold in a pass at `now`.
[[nodiscard]] std::vector<exporting::RecordedThreshold> make_thresholds(
    const PassCopy& copy, const eviction::ThresholdTable& thresholds, MonoTime now);

/// What the OOM guard observed in a pass; nullopt if it observed nothing.
[[nodiscard]] std::optional<exporting::RecordedGuard> make_guard(const PassCopy& copy);

/// Every signal that a pass observed, with age, source and error bound.
[[nodiscard]] std::vector<exporting::RecordedObservation> make_observations(const PassCopy& copy,
                                                                            MonoTime now);

}  // namespace evictd::daemon
