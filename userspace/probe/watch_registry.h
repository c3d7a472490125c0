// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "evictd/abi/watch.h"
#include "evictd/result.h"
#include "probe/cgroup_resolver.h"
#include "probe/options.h"
#include "probe/root_set.h"
#include "probe/watch.h"

struct evictd_bpf;

namespace evictd::probe {

/// What the kernel side watches: slots, roots, thresholds, and their cgroups. Mirrors the maps that
/// user space writes; Probe describes the calls. Threads: housekeeping; generation() and resolve()
/// from any thread.
class WatchRegistry {
 public:
  /// `skeleton` is loaded and outlives this.
  WatchRegistry(evictd_bpf& skeleton, const Options& options);

  [[nodiscard]] Result<> set_roots(std::span<const CgroupId> roots);
  [[nodiscard]] PodCounters resolve(const PodCgroup& pod) const;
  [[nodiscard]] Result<std::uint32_t> watch(std::uint32_t slot, const PodCgroup& pod,
                                            const PodCounters& counters);
  [[nodiscard]] Result<> unwatch(std::uint32_t slot);
  [[nodiscard]] Result<std::vector<std::uint64_t>> set_thresholds(
      std::span<const WatchedThreshold> thresholds);

  /// Generation of the cgroup in `slot`; 0 if the slot is empty or out of range.
  [[nodiscard]] std::uint32_t generation(std::uint32_t slot) const;

 private:
  /// Indices of the slot and the three kinds of watches, as in Tracked.
  using Indices = std::array<std::uint32_t, 4>;
  /// A cgroup that has a slot or thresholds. Indices are one-based as in the map, 0 is none.
  struct Tracked {
    evictd_resolved resolved{};
    std::uint32_t slot = 0;
    std::uint32_t working_set_watch = 0;
    std::uint32_t usage_watch = 0;
    std::uint32_t tasks_watch = 0;
    /// What was last published to the kernel side for `resolved`; unset for nothing.
    std::optional<Indices> published{};

    [[nodiscard]] Indices indices() const {
      return {slot, working_set_watch, usage_watch, tasks_watch};
    }
  };
  struct Slot {
    CgroupId memory;
    CgroupId pids;
  };
  using GroupKey = std::pair<Signal, CgroupId>;
  using Groups = std::map<GroupKey, std::vector<const WatchedThreshold*>>;
  /// Identity of a threshold: id, signal, cgroup, value, hysteresis.
  using Identity = std::tuple<std::uint64_t, Signal, CgroupId, std::uint64_t, std::uint64_t>;

  /// A tracked cgroup. Errors: kInvalid if it is not tracked.
  [[nodiscard]] Result<Tracked*> known(CgroupId id);
  [[nodiscard]] Result<Tracked*> track(CgroupId id, const Result<evictd_resolved>& resolved);
  [[nodiscard]] Result<> publish(Tracked& tracked);
  [[nodiscard]] Result<> publish_counter(std::uint64_t address, const evictd_counter& counter,
                                         CgroupId owner);
  void release_slot(CgroupId id);
  void retract_if_unused(CgroupId id);
  void retract_counter(std::uint64_t address, CgroupId owner);
  [[nodiscard]] Result<> write_target(std::uint32_t slot, const evictd_target& target);
  void update_slot_limit();

  [[nodiscard]] Result<Groups> group(std::span<const WatchedThreshold> thresholds,
                                     std::vector<std::uint64_t>& gone);
  [[nodiscard]] std::map<Identity, std::uint32_t> states() const;
  void pause_watches();
  /// Writes all groups. On a failure, returns its error; earlier groups are watched.
  [[nodiscard]] Result<> write_groups(const Groups& groups);
  [[nodiscard]] Result<> write_group(const GroupKey& key,
                                     std::span<const WatchedThreshold* const> members,
                                     std::uint32_t index,
                                     const std::map<Identity, std::uint32_t>& old_states);
  /// Publishes only cgroups whose watches have changed: a node has thousands of pods, but
  /// thresholds on a few cgroups.
  [[nodiscard]] Result<> publish_tracked();
  [[nodiscard]] Result<> write_thresholds(const GroupKey& key,
                                          std::span<const WatchedThreshold* const> members,
                                          std::uint32_t first,
                                          const std::map<Identity, std::uint32_t>& old_states);
  [[nodiscard]] Result<evictd_watch> make_watch(const GroupKey& key, std::uint32_t index);
  void resume_watches(std::uint32_t watches);

  evictd_bpf& skeleton_;
  CgroupResolver resolver_;
  Options options_;
  std::map<CgroupId, Tracked> tracked_;
  std::unordered_map<std::uint64_t, CgroupId> counter_owners_;
  std::map<std::uint32_t, Slot> slots_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> generations_;
  std::uint32_t last_generation_ = 0;
  RootSet roots_;
  /// By index in the map `thresholds`.
  std::vector<Identity> written_;
  std::uint32_t task_watches_ = 0;
  std::uint32_t node_memory_watch_ = 0;
  std::uint32_t guard_watch_ = 0;
  std::uint32_t node_tasks_watch_ = 0;
};

}  // namespace evictd::probe
