// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eviction/manager.h"
#include "replay/disk_wait.h"
#include "replay/recorded.h"
#include "replay/what_if.h"
#include "replay/world.h"

namespace evictd::replay {

/// Goes through the time of a recording with a manager of its own: runs passes when there would
/// have been some, on what the node would have been like, and does to it what they decide.
class Simulation {
 public:
  struct Options {
    /// Borrowed, as the next three.
    const Parts* parts = nullptr;
    const WhatIf* changes = nullptr;
    const std::vector<eviction::PodFacts>* facts = nullptr;
    /// What was recorded was decided by: one a configuration.
    const std::vector<eviction::EvictionManager>* recorded = nullptr;
    Duration interval{0};
    bool files_go = false;
  };
  Simulation(const Options& options, eviction::EvictionManager manager);

  void run();

  /// Passes that were run, and of them those that a brake held, by why.
  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& held() const { return held_; }
  [[nodiscard]] const std::vector<Eviction>& evictions() const { return evictions_; }
  /// Whether the recording ended after `moment` and before another pass: what that would have
  /// decided is not known.
  [[nodiscard]] bool ends_without_a_pass_since(MonoTime moment) const {
    return at_the_end_ && (!last_pass_ || *last_pass_ < moment);
  }
  /// When memory was first used up while a pod lived on; nothing if it never was.
  [[nodiscard]] std::optional<OutOfMemory> oom_of(std::size_t pod) const;
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const DiskWait& disk_wait() const { return disk_wait_; }

 private:
  /// So long after it was reached a threshold is passed.
  static constexpr Duration kPast = std::chrono::microseconds(1);

  /// What of a threshold the kernel would have been told to watch.
  enum class Level : std::uint8_t { kThreshold, kFloor };

  [[nodiscard]] static eviction::Wide amount_of(Level kind,
                                                const eviction::EvictionManager& manager,
                                                std::size_t place, std::int64_t capacity);
  [[nodiscard]] bool has_ticks() const;
  [[nodiscard]] bool is_due(MonoTime now);
  void run_pass(MonoTime now);
  void resume(MonoTime now);
  [[nodiscard]] eviction::PassInput input_at(MonoTime now);
  [[nodiscard]] const eviction::Brakes* brakes_at(MonoTime now);
  [[nodiscard]] bool dry_run() const;
  void follow(const eviction::Decision& decision, MonoTime now);
  void evict(const eviction::Decision& decision, MonoTime now);
  void evict_for_local_storage(const eviction::Decision& decision, MonoTime now);
  void end(std::size_t pod, eviction::Standing grace, const Eviction& eviction);
  [[nodiscard]] bool is_recorded(const Eviction& eviction) const;
  [[nodiscard]] Eviction begin_eviction(const eviction::Decision& decision, std::size_t pod,
                                        MonoTime now) const;
  [[nodiscard]] const RecordedPass& last_recorded() const;
  void spare(std::size_t pod, MonoTime since);
  void spare_the_recorded(MonoTime now);
  void take_over_dry_run();
  void compare_dry_runs();
  void note_oom(MonoTime now);
  [[nodiscard]] std::optional<OutOfMemory> first_oom(MonoTime until) const;
  [[nodiscard]] bool is_noticed(Level kind, eviction::Signal signal, eviction::Wide level,
                                std::int64_t capacity) const;
  void consider_crossing(Level kind, std::size_t place, MonoTime now, MonoTime until);
  void find_crossing(MonoTime now, MonoTime until);
  [[nodiscard]] MonoTime used_up(MonoTime from) const;
  [[nodiscard]] MonoTime horizon() const;
  [[nodiscard]] std::optional<MonoTime> next_moment(MonoTime now);
  [[nodiscard]] bool awaited_as_recorded() const;
  void await_recorded_deadline();

  Options options_;
  const Parts& parts_;
  const WhatIf& changes_;
  eviction::EvictionManager manager_;
  World world_;
  /// Something was decided otherwise than recorded: from then on the node is another one.
  bool differs_ = false;
  /// What the last pass was given.
  const World::Seen* seen_ = nullptr;
  /// The recorded pass at this very moment.
  const RecordedPass* exact_ = nullptr;
  MonoTime next_tick_{};
  MonoTime last_{};
  std::optional<MonoTime> last_pass_;
  /// All that is looked at was gone through.
  bool at_the_end_ = false;
  std::size_t next_pass_ = 0;
  /// Up to here it was looked at whom recorded dry runs chose.
  std::size_t next_dry_run_ = 0;
  /// How pods were ended in the recording, which of them is next, and those that were asked to go
  /// here as well and may be given longer.
  std::vector<RecordedEnd> ends_;
  std::size_t next_recorded_end_ = 0;
  std::vector<RecordedEnd> asked_too_;
  eviction::Cadence cadence_ = eviction::Cadence::kRegular;
  std::optional<MonoTime> deadline_;
  std::optional<MonoTime> crossing_;
  /// A victim of a disk is released.
  std::optional<MonoTime> release_at_;
  /// A victim was chosen when less than the floor was left.
  std::optional<MonoTime> again_at_;
  std::optional<MonoTime> resume_at_;
  /// When evictions were begun, as the brakes count them.
  std::vector<MonoTime> begun_;
  eviction::Brakes brakes_;
  DiskWait disk_wait_;
  std::vector<eviction::ReleasingPod> releasing_;
  /// Ended in the recording, and living on here.
  std::set<std::size_t> waiting_;

  std::uint64_t passes_ = 0;
  std::map<std::string, std::uint64_t> held_;
  std::vector<Eviction> evictions_;
  std::map<std::size_t, OutOfMemory> ooms_;
};

}  // namespace evictd::replay
