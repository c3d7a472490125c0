// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/decision.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"

namespace evictd::replay {

using Json = nlohmann::ordered_json;

/// The format of a recording; docs/replay.md says what a new number means.
inline constexpr std::int64_t kRecordingVersion = 4;
/// The oldest one that is read. What versions 3 and 4 added may be absent, and all of it decides:
/// `kernel_available`, `rate` and `reserve` of an observation; `inode_request` and growth of a pod;
/// what dead pods have left charged to their cgroups.
inline constexpr std::int64_t kOldestRecordingVersion = 2;

using Labels = std::map<std::string, std::string, std::less<>>;

/// How a recording begins.
struct RecordingHeader {
  /// From kOldestRecordingVersion to kRecordingVersion.
  std::int64_t version = kRecordingVersion;
  std::string evictd_version;
  /// The wall clock less CLOCK_MONOTONIC when it began, to show moments to people.
  Duration wall_offset{0};
};

/// What a pass knew of a pod besides its readings; numbered, and written once as long as it holds.
struct RecordedPod {
  std::size_t number = 0;
  std::string ns;
  std::string name;
  std::string uid;
  /// What neverEvict may name besides the namespace.
  Labels labels;
  eviction::PodFacts facts;
  /// Set where limits on local storage are to be checked.
  std::optional<eviction::Pod> spec;
};

/// One pod of one pass.
struct RecordedPodPass {
  /// Of its RecordedPod.
  std::size_t number = 0;
  eviction::PodReading reading;
  eviction::DiskCount disk_count = eviction::DiskCount::kWhole;
  /// As PassPod::grown.
  Bytes grown{0};
  eviction::Standing standing = eviction::Standing::kActive;
  CgroupUsage usage;
  std::optional<eviction::PodStatistics> statistics;
};

/// The brakes of one pass; the span of Brakes is that of `recent`.
struct RecordedBrakes {
  eviction::Brakes brakes;
  std::vector<MonoTime> recent;
};

/// One pass: all that went into it and what came out of it.
struct RecordedPass {
  /// Passes right before this one that were not recorded.
  std::uint64_t missed = 0;
  std::string trigger;
  MonoTime now{};
  eviction::Cadence cadence = eviction::Cadence::kRegular;
  /// Set where the state before does not follow from the pass before: the first pass, after a gap,
  /// after a change of configuration.
  std::optional<eviction::PassState> before;
  /// With `before`: the pass that was waiting for collectors then.
  std::optional<eviction::SuspendedPass> waiting_before;
  /// Unset: they could not be read.
  std::optional<eviction::Observations> observations;
  /// It ended a pass that had waited for collectors: resume(), not synchronize().
  bool resumed = false;
  bool disk_usage_pending = false;
  eviction::DiskProgress disk_progress = eviction::DiskProgress::kNothing;
  std::optional<eviction::DiskLayout> layout;
  std::vector<RecordedPodPass> pods;
  std::vector<eviction::ReleasingPod> releasing;
  std::optional<RecordedBrakes> brakes;
  /// Nobody is signalled, whatever is decided.
  bool dry_run = false;
  /// Whether a signal was sent for the decision, and when; unset for none.
  std::optional<MonoTime> signal_at;
  /// Places in `pods` of those that exceeded a limit on local storage and were sent a signal.
  std::vector<std::size_t> local_signalled;
  /// As to_json() of what the pass decided, and of its state afterwards.
  Json decision;
  Json state;
};

/// A configuration, in force from the next pass on: YAML that config::parse() takes.
struct RecordedConfig {
  std::string yaml;
};

}  // namespace evictd::replay
