// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "simulation/pod.h"
#include "support/numbers.h"

namespace evictd::simulation {

/// Interval of the regular passes.
inline constexpr Duration kInterval = std::chrono::seconds(10);

/// A node in which anything may happen, with an engine that is driven like in the daemon. Pods
/// grow, fork, die, come back, ignore SIGTERM and leave memory behind. Events are lost, late,
/// repeated and out of order. Readings are missing or old; signals fail. evictd is reconfigured,
/// paused and restarted. Equal seeds give equal lives.
class World {
 public:
  /// Parts to leave out, to find out what a failure needs.
  struct Without {
    bool restarts = false;
    bool reloads = false;
    bool lost_events = false;
    bool bad_readings = false;
    bool refusals = false;
    bool left_memory = false;
    std::size_t pods = 0;  ///< Number of pods to leave out.
  };

  World(std::uint64_t seed, const Without& without);

  /// Lives for `length`. Returns the first broken property and its time; empty if none.
  [[nodiscard]] std::string live(Duration length);
  /// Hash of everything that the engine requested, in order.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  [[nodiscard]] std::uint64_t kills() const { return kills_; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  /// Kills of the kernel side.
  [[nodiscard]] std::uint64_t fired() const { return fired_; }

 private:
  enum class What : std::uint8_t {
    kCrossing,
    kApproach,
    kChange,
    kExit,
    kDeath,
    kKillDue,
    kGiveUp,
    kRemoval,
    kScanned,
    kRestart,
    kReload,
    kWishes,
  };
  struct Plan {
    MonoTime at{};
    std::uint64_t order = 0;
    What what = What::kChange;
    std::size_t pod = 0;
    std::uint64_t life = 0;

    bool operator<(const Plan& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  using Answer = std::optional<engine::Event>;

  [[nodiscard]] std::unique_ptr<engine::Configuration> configuration();
  void start_engine();
  void plan(MonoTime at, What what, std::size_t pod = 0);
  void happen(const Plan& planned);
  void start_pod(std::size_t index);
  void change_pod(std::size_t index);
  void end_pod(std::size_t index);
  void kill(std::size_t index);
  void step(const Pod& pod, engine::VictimStep::What what);
  void restart();
  void expect_crossing();
  void out_of_memory();

  // world_backstop.cpp: the kernel side, and what it must not do.
  /// A plan that the kernel side carries out, and the place of its pods in `pods_`.
  struct Backstop {
    engine::BackstopPlan plan;
    std::size_t victim = 0;
    std::vector<std::size_t> rivals{};
    std::optional<MonoTime> fired_at{};
  };
  void run_kernel_side(MonoTime until);
  void disturb();
  [[nodiscard]] bool fires() const;
  void fire();
  Answer adopted(Pod& pod);
  [[nodiscard]] std::optional<std::size_t> victim_of_a_pass();

  void tell(const engine::Event& event);
  Answer perform(const engine::Wait& wait);
  Answer perform(const engine::Read& read);
  Answer perform(const engine::LookAgain& look);
  Answer perform(const engine::Signal& signal);
  Answer perform(const engine::CutGrace& cut);
  Answer perform(const engine::ReadVictim& read);
  Answer perform(const engine::GoOnWith& eviction);
  Answer perform(const engine::ScanPods& scan);
  Answer perform(const engine::EndPretended& end);
  Answer perform(const engine::ClearIntent& clear);
  Answer perform(const engine::Report& report);
  Answer perform(const engine::ArmBackstop& arm);
  Answer perform(const engine::DisarmBackstop& disarm);
  template <typename Other>
  Answer perform(const Other& /*other*/) {
    return std::nullopt;
  }

  [[nodiscard]] eviction::Observation memory_at(MonoTime time) const;
  [[nodiscard]] engine::ReadingsTaken read_pods(const engine::Engine& engine);

  void check_turn();
  void check_signal(const engine::Signal& signal, const Pod& pod);
  void check_wait(const eviction::Decision& decision);
  void broken(const std::string& property);
  void note(std::uint64_t number);

  [[nodiscard]] std::int64_t available() const;
  [[nodiscard]] std::int64_t limit() const;
  /// Of all pods together, in bytes a second.
  [[nodiscard]] std::int64_t growth() const;
  [[nodiscard]] CgroupUsage usage_of(const Pod& pod) const;
  [[nodiscard]] Pod* find(CgroupId id);
  [[nodiscard]] Duration about(Duration most) {
    return Duration(
        static_cast<std::int64_t>(numbers_.next() % static_cast<std::uint64_t>(most.count() + 1)));
  }

  test::SeededNumbers numbers_;
  Without without_;
  MonoTime now_{std::chrono::hours(1)};
  std::priority_queue<Plan> plans_;
  std::uint64_t orders_ = 0;
  std::vector<Pod> pods_;
  std::int64_t capacity_ = 0;
  std::int64_t others_ = 0;  ///< Memory used by no pod.
  std::unique_ptr<engine::Configuration> configuration_;
  std::unique_ptr<engine::Configuration> retired_;
  std::unique_ptr<engine::Engine> engine_;
  engine::Wait wait_;
  std::optional<Backstop> backstop_;
  std::optional<std::size_t> unadopted_;  ///< The pod that the kernel side has just killed.
  std::uint64_t fired_ = 0;
  std::uint64_t scan_ = 0;
  std::uint32_t tickets_ = 0;
  // Input of a pass.
  eviction::Observations seen_;
  std::vector<eviction::PassPod> shown_;
  std::vector<std::uint32_t> slots_;
  std::vector<CgroupUsage> usages_;
  std::vector<engine::FollowedPod> followed_;
  // State of the checks.
  std::optional<std::int64_t> most_since_kill_;  ///< The most available memory that a pass saw
                                                 ///< since then.
  MonoTime reported_at_{};
  std::optional<MonoTime> crossed_at_;  ///< A reported crossing without a pass since.
  std::optional<MonoTime> deadline_;    ///< Deadline of the last decision.
  int turns_at_once_ = 0;
  engine::OperatorWishes wishes_;
  std::uint64_t fingerprint_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t passes_ = 0;
  std::string broken_;
};

}  // namespace evictd::simulation
