// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "eviction/manager.h"
#include "replay/disk_wait.h"
#include "replay/recorded.h"
#include "replay/what_if.h"
#include "replay/world.h"

namespace evictd::replay {

/// Goes through the time of a recording with the daemon's engine. Tells it what happens on the node
/// as it would have been, shows it that node, and does to it what the engine wants done. When
/// passes are run and what evictions come to is the engine's; here is only what the recording
/// tells.
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
  Simulation(const Options& options, engine::Configuration configuration);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation() = default;

  void run();

  /// Passes that were run, and of them those that a brake held, by why.
  [[nodiscard]] std::uint64_t passes() const;
  [[nodiscard]] std::map<std::string, std::uint64_t> held() const;
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
  /// So long after it was reached a threshold is passed, and a signal was sent after it was
  /// decided.
  static constexpr Duration kPast = std::chrono::microseconds(1);
  /// For a recording that would take for ever; a pass takes microseconds.
  static constexpr std::uint64_t kMostPasses = 200'000;

  /// What of a threshold the kernel would have been told to watch.
  enum class Level : std::uint8_t { kThreshold, kFloor };
  struct Crossing {
    MonoTime at{};
    std::size_t place = 0;
  };

  /// How pods were ended in the recording, and which of them is next. Then those that were asked to
  /// go here as well and may be given longer.
  struct Ends {
    std::vector<RecordedEnd> recorded;
    std::size_t next = 0;
    std::vector<RecordedEnd> asked_too;
  };

  /// The rounds that the engine waits for, and when collectors will have run.
  struct DiskWork {
    std::optional<std::uint64_t> measuring;
    std::optional<std::uint64_t> collecting;
    std::optional<MonoTime> collected_at;
  };

  // simulation.cpp: what differs from the recording.
  void let_live_on(std::size_t pod, MonoTime since);
  void let_recorded_live_on();
  void compare_dry_runs();
  [[nodiscard]] bool is_named(std::size_t pod) const;
  [[nodiscard]] bool names_otherwise(const RecordedPass& pass) const;
  [[nodiscard]] bool is_recorded(const Eviction& eviction) const;
  [[nodiscard]] const RecordedPass& last_recorded() const;
  /// The recorded pass of that very moment; nullptr for none.
  [[nodiscard]] const RecordedPass* exact_at(MonoTime at) const;

  // simulation_events.cpp: what the engine is told.
  /// By which it knows a pod of that identity.
  [[nodiscard]] static CgroupId cgroup_of(std::size_t pod) {
    return {.hierarchy = 0, .id = pod + 1};
  }
  void take_over();
  [[nodiscard]] bool is_due();
  void take_recorded();
  void take_turns();
  [[nodiscard]] bool tells_at_once() const { return differs_ && !changes_.without_events; }
  [[nodiscard]] const eviction::ReleasingPod* held_as_recorded(std::size_t pod) const;
  void look_who_is_there();
  [[nodiscard]] std::vector<engine::Event> happened();
  void tell_of_pods();
  void tell_of_disks();
  void tell_wishes();

  // simulation_effects.cpp: what the engine wants done.
  void tell(const engine::Event& event);
  [[nodiscard]] engine::ReadingsTaken look(MonoTime at);
  [[nodiscard]] engine::LookedAgain next_look(MonoTime at) const;
  [[nodiscard]] engine::Signalled evict(const engine::Signal& signal);
  [[nodiscard]] engine::Signalled cut_grace(const engine::CutGrace& cut);
  void name_threshold(Eviction& eviction) const;
  [[nodiscard]] engine::Signalled end(Eviction eviction);
  void go_on_at_once();
  void record_pass(MonoTime at);

  // simulation_time.cpp: when something happens.
  [[nodiscard]] static eviction::Wide amount_of(Level kind,
                                                const eviction::EvictionManager& manager,
                                                std::size_t place, std::int64_t capacity);
  [[nodiscard]] bool has_ticks() const;
  [[nodiscard]] bool dry_run() const;
  void find_ooms();
  [[nodiscard]] std::optional<OutOfMemory> first_oom(MonoTime until) const;
  [[nodiscard]] bool is_noticed(Level kind, eviction::Signal signal, eviction::Wide level,
                                std::int64_t capacity) const;
  void consider_crossing(Level kind, std::size_t place, MonoTime until);
  void find_crossing(MonoTime until);
  [[nodiscard]] MonoTime used_up(MonoTime from) const;
  [[nodiscard]] MonoTime horizon() const;
  [[nodiscard]] MonoTime wakes_at() const;
  [[nodiscard]] bool awaited_as_recorded() const;
  [[nodiscard]] std::optional<MonoTime> next_moment();

  [[nodiscard]] const eviction::EvictionManager& manager() const { return configuration_.manager; }

  Options options_;
  const Parts& parts_;
  const WhatIf& changes_;
  engine::Configuration configuration_;
  World world_;
  MonoTime now_;
  engine::Engine engine_;
  engine::Wait wait_;
  engine::OperatorWishes wishes_;
  /// Something was decided otherwise than recorded: from then on the node is another one.
  bool differs_ = false;
  /// The recorded pass at this very moment, and whether it is run here as well.
  const RecordedPass* exact_ = nullptr;
  std::optional<engine::PassTrigger> asked_;
  MonoTime last_{};
  std::optional<MonoTime> last_pass_;
  /// All that is looked at was gone through.
  bool at_the_end_ = false;
  std::size_t next_pass_ = 0;
  /// Up to here it was looked at whom recorded dry runs chose.
  std::size_t next_dry_run_ = 0;
  Ends ends_;
  std::optional<Crossing> crossing_;
  DiskWait disk_wait_;
  /// Ended in the recording, and living on here.
  std::set<std::size_t> waiting_;

  DiskWork disk_work_;
  /// Somebody answers at once.
  bool turns_again_ = false;

  // What is there, and what the last pass was shown.
  std::set<std::size_t> there_;
  std::optional<MonoTime> looked_at_;
  std::map<std::size_t, std::uint32_t> slots_;
  std::vector<std::uint32_t> free_slots_;
  World::Seen shown_;
  std::vector<std::uint32_t> shown_slots_;
  std::vector<CgroupUsage> usages_;
  std::vector<engine::FollowedPod> followed_;

  std::vector<Eviction> evictions_;
  std::map<std::size_t, OutOfMemory> ooms_;
};

}  // namespace evictd::replay
