// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "eviction/pass.h"
#include "replay/recording.h"

namespace evictd::replay {

/// A node as it was recorded, but for the pods whose fate is another one: a pod that was ended in
/// the recording and is spared goes on growing as it did last, a pod that is ended earlier is gone
/// from then on. What it takes or leaves is taken off or added to what was available.
///
/// Between two recorded passes everything changes in a straight line. Pods are named by the number
/// of their RecordedPod. Memory is free as soon as a pod is ended.
class World {
 public:
  /// Both borrowed. `passes` in their order, at least one.
  World(const std::vector<const RecordedPod*>& pods,
        const std::vector<const RecordedPass*>& passes);

  /// The pod lives on from `now`, at which it is ended in the recording.
  void spare(std::size_t pod, MonoTime now);
  /// The pod was asked to go, and is ended at `kill_at`.
  void end(std::size_t pod, eviction::Standing grace, MonoTime kill_at);
  [[nodiscard]] bool is_spared(std::size_t pod) const { return spared_.contains(pod); }
  [[nodiscard]] bool is_ended(std::size_t pod) const { return ended_.contains(pod); }
  [[nodiscard]] bool any_spared() const { return !spared_.empty(); }
  /// The next moment after `now` at which a pod in its grace is ended.
  [[nodiscard]] std::optional<MonoTime> next_end(MonoTime now) const;

  /// What a pass at `now` would be given. Valid until the next call.
  struct Seen {
    eviction::Observations observations;
    std::vector<eviction::PassPod> pods;
    /// The number of each pod, parallel to `pods`.
    std::vector<std::size_t> numbers;
  };
  const Seen& look(MonoTime now);

  /// What `signal` had at `now`; not below zero unless `below_zero`.
  [[nodiscard]] std::optional<double> available(eviction::Signal signal, MonoTime now) const;

 private:
  struct Spared {
    MonoTime since{};
    double bytes = 0;
    double tasks = 0;
    /// A second.
    double byte_growth = 0;
    double task_growth = 0;
  };
  struct Ended {
    MonoTime kill_at{};
    eviction::Standing standing = eviction::Standing::kActive;
  };
  /// The recorded passes around a moment, and how far it is from the one to the other.
  struct Between {
    std::size_t before = 0;
    std::size_t after = 0;
    double share = 0;
  };

  [[nodiscard]] Between find(MonoTime now) const;
  [[nodiscard]] static const RecordedPodPass* find_pod(const RecordedPass& pass, std::size_t pod);
  /// Bytes or tasks of a pod in the recording at a moment.
  [[nodiscard]] double recorded(std::size_t pod, const Between& between, bool tasks) const;
  [[nodiscard]] double spared_amount(const Spared& pod, MonoTime now, bool tasks) const;
  /// What pods of another fate hold beyond what they hold in the recording.
  [[nodiscard]] double surplus(MonoTime now, bool tasks) const;
  [[nodiscard]] eviction::Standing standing_of(const RecordedPodPass& pod, MonoTime now) const;

  const std::vector<const RecordedPod*>* pods_;
  const std::vector<const RecordedPass*>* passes_;
  std::map<std::size_t, Spared> spared_;
  std::map<std::size_t, Ended> ended_;
  Seen seen_;
};

}  // namespace evictd::replay
