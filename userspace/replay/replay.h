// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "eviction/manager.h"
#include "replay/recording_reader.h"

namespace evictd::replay {

/// The memory that a PassInput made from a recorded pass points to.
class PassInputs {
 public:
  /// `pods` are borrowed, by number.
  explicit PassInputs(const std::vector<const RecordedPod*>& pods) : pods_(&pods) {}
  /// Valid until the next call.
  [[nodiscard]] eviction::PassInput of(const RecordedPass& pass);

 private:
  const std::vector<const RecordedPod*>* pods_;
  std::vector<eviction::PassPod> made_;
  eviction::Brakes brakes_;
};

/// Where a replay decided otherwise than the recording says.
struct Difference {
  /// Of the pass: 1 is the first one recorded.
  std::uint64_t pass = 0;
  MonoTime at{};
  /// "decision.victim" or "state.first_observed".
  std::string what;
  std::string recorded;
  std::string replayed;
};

/// What came of a replay.
struct Verification {
  std::uint64_t passes = 0;
  std::uint64_t evictions = 0;
  /// Stretches of passes that were not recorded, and how many passes they are.
  std::uint64_t gaps = 0;
  std::uint64_t missed = 0;
  std::optional<Difference> difference;
};

/// Runs every recorded pass again and compares decision and state, byte for byte, up to the first
/// difference. Where the recording has a gap the state that it gives is taken over.
/// Errors: kMalformed where a configuration or the first state is missing; those of
/// config::parse().
[[nodiscard]] Result<Verification> verify(const Recording& recording);

/// A manager with the settings of a recorded configuration.
[[nodiscard]] Result<eviction::EvictionManager> manager_of(const RecordedConfig& config);

}  // namespace evictd::replay
