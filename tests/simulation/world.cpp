// SPDX-License-Identifier: Apache-2.0
#include "simulation/world.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "eviction/hold.h"
#include "eviction/parse_thresholds.h"

namespace evictd::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMiB = 1024 * 1024;
/// Delay of a turn of the thread.
constexpr Duration kLate = milliseconds(3);
constexpr Duration kDying = seconds(2);
/// The kernel side tells of a threshold that is no further away.
constexpr Duration kApproach = milliseconds(1);
/// More than any pod grows.
constexpr Bytes kFastestGrowth = 4_GiB;

}  // namespace

std::int64_t Pod::bytes_at(MonoTime now) const {
  if (!present) {
    return 0;
  }
  const auto passed_us = std::chrono::duration_cast<std::chrono::microseconds>(now - since).count();
  return std::clamp(bytes + growth * passed_us / 1'000'000, std::int64_t{0}, std::max(most, bytes));
}

World::World(std::uint64_t seed, const Without& without)
    : numbers_(seed), without_(without), reported_at_(now_) {
  capacity_ = (1000 + numbers_.up_to(3000)) * kMiB;
  others_ = capacity_ / 10;
  configuration_ = configuration();
  start_engine();
  const auto count = std::size_t{3} + static_cast<std::size_t>(numbers_.up_to(7));
  pods_.resize(std::max<std::size_t>(count - std::min(count, without_.pods), 1));
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    Pod& pod = pods_[i];
    pod.facts.priority = numbers_.up_to(3) * 100;
    pod.facts.is_critical = numbers_.one_in(6);
    pod.facts.is_static = pod.facts.is_critical && numbers_.one_in(2);
    pod.facts.memory_request_nanos =
        static_cast<eviction::Wide>(numbers_.up_to(300) * kMiB) * 1'000'000'000;
    if (i > 0 && numbers_.one_in(3)) {
      // Only usage ranks them.
      pod.facts.priority = pods_[i - 1].facts.priority;
      pod.facts.memory_request_nanos = pods_[i - 1].facts.memory_request_nanos;
    }
    pod.is_protected = pod.facts.is_critical;
    pod.obeys_sigterm = numbers_.one_in(2);
    pod.is_refused = !without_.refusals && numbers_.one_in(12);
    pod.time_to_end = about(seconds(3));
    pod.time_to_die = about(milliseconds(numbers_.one_in(10) ? 5000 : 300));
    pod.left = !without_.left_memory && numbers_.one_in(5) ? numbers_.up_to(200) * kMiB : 0;
    start_pod(i);
  }
  if (!without_.restarts) {
    for (int i = numbers_.up_to(3); i > 0; --i) {
      plan(now_ + about(std::chrono::minutes(55)), What::kRestart);
    }
  }
  if (!without_.reloads) {
    for (int i = numbers_.up_to(2); i > 0; --i) {
      plan(now_ + about(std::chrono::minutes(55)), What::kReload);
      plan(now_ + about(std::chrono::minutes(55)), What::kWishes);
    }
  }
}

std::unique_ptr<engine::Configuration> World::configuration() {
  eviction::ThresholdTexts texts;
  texts.hard = {{"memory.available", std::to_string(50 + numbers_.up_to(150)) + "Mi"}};
  if (numbers_.one_in(3)) {
    texts.soft = {{"memory.available", std::to_string(220 + numbers_.up_to(100)) + "Mi"}};
    texts.soft_grace_period = {{"memory.available", std::to_string(1 + numbers_.up_to(60)) + "s"}};
  }
  if (numbers_.one_in(4)) {
    texts.minimum_reclaim = {{"memory.available", std::to_string(numbers_.up_to(100)) + "Mi"}};
  }
  eviction::PassSettings settings;
  settings.thresholds = eviction::parse_thresholds(texts, eviction::Compat::k1_32).value();
  settings.max_pod_grace = seconds(numbers_.up_to(5));
  settings.hard_grace = seconds(numbers_.up_to(2));
  settings.hard_floor.percent_of_threshold = numbers_.one_in(2) ? 50 : 100 - numbers_.up_to(10);
  auto made = std::make_unique<engine::Configuration>(
      eviction::EvictionManager::create(std::move(settings)).value());
  made->dry_run = false;
  made->growth.memory_per_second = kFastestGrowth;
  if (numbers_.one_in(2)) {
    made->backstop_margin = Bytes{numbers_.up_to(4) * (64_KiB).value};
  }
  return made;
}

void World::start_engine() {
  engine_ = std::make_unique<engine::Engine>(
      engine::Engine::Options{.configuration = configuration_.get(),
                              .layout = {},
                              .has_filesystems = false,
                              .events_tell_pods = !numbers_.one_in(3),
                              .least_left_behind = Bytes{kMiB},
                              .eviction_times = {}},
      now_);
}

void World::plan(MonoTime at, What what, std::size_t pod) {
  plans_.push({.at = at,
               .order = orders_++,
               .what = what,
               .pod = pod,
               .life = pod < pods_.size() ? pods_[pod].life : 0});
}

std::string World::live(Duration length) {
  const MonoTime end = now_ + length;
  MonoTime turn = now_;
  while (now_ < end && broken_.empty()) {
    expect_crossing();
    const bool planned = !plans_.empty() && plans_.top().at <= turn;
    const MonoTime due = std::max(now_, planned ? plans_.top().at : turn);
    run_kernel_side(backstop_ ? due + about(kLate) : due);
    tell(engine::Woken{now_});
    if (unadopted_) {
      broken("evictd does not know whom the kernel side killed");
    }
    while (!plans_.empty() && plans_.top().at <= now_) {
      const Plan next = plans_.top();
      plans_.pop();
      happen(next);
    }
    out_of_memory();
    tell(engine::Turn{});
    turn = wait_.at_once ? now_ : std::max(now_ + about(kLate), wait_.until + about(kLate));
    check_turn();
  }
  return broken_;
}

void World::happen(const Plan& planned) {
  const bool is_of_pod = planned.what != What::kCrossing && planned.what != What::kApproach &&
                         planned.what != What::kScanned && planned.what != What::kRestart &&
                         planned.what != What::kReload && planned.what != What::kWishes;
  if (is_of_pod && pods_[planned.pod].life != planned.life) {
    return;
  }
  switch (planned.what) {
    case What::kCrossing:
      tell(engine::Crossed{.threshold = 0, .at = now_});
      crossed_at_ = crossed_at_.value_or(now_);
      break;
    case What::kApproach:
      tell(engine::Approached{
          .scope = eviction::Scope::kNode, .away = kApproach, .may_stand_by = false});
      break;
    case What::kChange:
      change_pod(planned.pod);
      break;
    case What::kExit:
    case What::kDeath:
      end_pod(planned.pod);
      break;
    case What::kKillDue:
      if (Pod& pod = pods_[planned.pod];
          pod.end == Pod::End::kTerminating && pod.kill_due_at <= now_) {
        kill(planned.pod);
        step(pod, engine::VictimStep::What::kKilled);
      }
      break;
    case What::kGiveUp:
      if (Pod& pod = pods_[planned.pod]; pod.end == Pod::End::kKilled) {
        pod.end = Pod::End::kExceeded;
        step(pod, engine::VictimStep::What::kExceededGrace);
      }
      break;
    case What::kRemoval:
      if (Pod& pod = pods_[planned.pod]; pod.present && !pod.running) {
        pod.present = false;
        tell(engine::PodRemoved{pod.view.slot});
        ++pod.life;
        start_pod(planned.pod);
      }
      break;
    case What::kScanned:
      if (scan_ != 0) {
        tell(engine::PodsScanned{scan_});
      }
      break;
    case What::kRestart:
      restart();
      break;
    case What::kReload:
      retired_ = std::exchange(configuration_, configuration());
      tell(engine::ConfigurationChanged{configuration_.get()});
      break;
    case What::kWishes:
      wishes_ = {};
      if (numbers_.one_in(2)) {
        wishes_.pauses.all = now_ + seconds(numbers_.up_to(90));
      } else {
        wishes_.dry_run = numbers_.one_in(2);
        plan(now_ + about(std::chrono::minutes(5)), What::kWishes);
      }
      tell(engine::WishesChanged{wishes_});
      break;
  }
}

void World::start_pod(std::size_t index) {
  Pod& pod = pods_[index];
  pod.view = {.slot = static_cast<std::uint32_t>(index + 1),
              .id = {.hierarchy = 0, .id = (pod.life + 1) * 100 + index},
              .occupancy = engine::Occupancy::kRunning,
              .has_target = true,
              .unprotected = !pod.is_protected,
              .below_pod_root = true};
  pod.present = true;
  pod.running = true;
  pod.bytes = numbers_.up_to(60) * kMiB;
  pod.growth = 0;
  pod.since = now_;
  pod.tasks = 1 + numbers_.up_to(20);
  pod.end = Pod::End::kNone;
  pod.dry_run = false;
  tell(engine::PodPlaced{pod.view});
  plan(now_ + about(std::chrono::minutes(4)), What::kChange, index);
}

void World::change_pod(std::size_t index) {
  Pod& pod = pods_[index];
  if (!pod.running) {
    return;
  }
  pod.bytes = pod.bytes_at(now_);
  pod.since = now_;
  switch (numbers_.up_to(5)) {
    case 0:
      pod.growth = 0;
      break;
    case 1:
      pod.growth = -numbers_.up_to(50) * kMiB;
      break;
    case 2:
      pod.growth = numbers_.up_to(400) * kMiB;
      break;
    case 3:
      if (pod.end == Pod::End::kNone && numbers_.one_in(3)) {
        end_pod(index);
        return;
      }
      break;
    case 4: {
      // Close to another pod, so that their order may turn at any time.
      const Pod& other = pods_[static_cast<std::size_t>(numbers_.up_to(99)) % pods_.size()];
      const std::int64_t bytes = other.bytes_at(now_) - kMiB + numbers_.up_to(2048) * 1024;
      if (std::abs(bytes - pod.bytes) < 100 * kMiB) {
        pod.bytes = std::max<std::int64_t>(bytes, 0);
      }
      pod.growth = numbers_.up_to(400) * kMiB;
      break;
    }
    default:
      pod.growth = numbers_.up_to(20) * kMiB;
      break;
  }
  pod.most = pod.bytes + numbers_.up_to(1500) * kMiB;
  plan(now_ + about(std::chrono::minutes(5)), What::kChange, index);
}

/// The pod's last process exits; what it left charged stays until its cgroup is removed.
void World::end_pod(std::size_t index) {
  Pod& pod = pods_[index];
  if (!pod.running) {
    return;
  }
  pod.bytes = std::min(pod.bytes_at(now_), pod.left);
  pod.most = pod.bytes;
  pod.growth = 0;
  pod.since = now_;
  pod.running = false;
  pod.tasks = 0;
  const bool evicted = pod.end != Pod::End::kNone && !pod.dry_run;
  if (evicted) {
    step(pod, engine::VictimStep::What::kReleased);
  }
  pod.end = Pod::End::kNone;
  engine::PodView empty = pod.view;
  empty.occupancy = engine::Occupancy::kEmpty;
  tell(engine::PodPlaced{empty});
  plan(now_ + about(seconds(60)), What::kRemoval, index);
}

void World::kill(std::size_t index) {
  Pod& pod = pods_[index];
  pod.end = Pod::End::kKilled;
  pod.killed_at = now_;
  most_since_kill_ = available();
  ++kills_;
  plan(now_ + pod.time_to_die, What::kDeath, index);
  plan(now_ + kDying, What::kGiveUp, index);
}

void World::step(const Pod& pod, engine::VictimStep::What what) {
  tell(engine::VictimStep{.pod = pod.view.id,
                          .what = what,
                          .at = now_,
                          .dry_run = pod.dry_run,
                          .spared = false,
                          .usage = usage_of(pod),
                          .charged = Bytes{pod.bytes_at(now_)}});
}

/// Starts a new process of evictd with the saved state and the remains of evictions on cgroups.
void World::restart() {
  const eviction::PassState state = configuration_->manager.state();
  eviction::EvictionManager manager =
      eviction::EvictionManager::create(configuration_->manager.settings()).value();
  manager.restore(state);
  auto fresh = std::make_unique<engine::Configuration>(std::move(manager));
  fresh->growth = configuration_->growth;
  fresh->backstop_margin = configuration_->backstop_margin;
  retired_ = std::exchange(configuration_, std::move(fresh));
  start_engine();
  scan_ = 0;  // The requested reply dies with the old process.
  tell(engine::Woken{now_});
  tell(engine::WishesChanged{wishes_});
  for (Pod& pod : pods_) {
    if (pod.dry_run) {
      pod.end = Pod::End::kNone;
      pod.dry_run = false;
    }
    if (!pod.present) {
      continue;
    }
    engine::PodView view = pod.view;
    view.occupancy = pod.running ? engine::Occupancy::kRunning : engine::Occupancy::kEmpty;
    tell(engine::PodPlaced{view});
    if (pod.end != Pod::End::kNone) {
      const engine::VictimPhase grace =
          pod.hard ? engine::VictimPhase::kHardGrace : engine::VictimPhase::kSoftGrace;
      tell(engine::EvictionFound{
          .pod = pod.view.id,
          .phase = pod.end == Pod::End::kTerminating ? grace : engine::VictimPhase::kKilled,
          .killed_at = pod.killed_at,
          .usage = usage_of(pod)});
    }
  }
}

/// The crossing that the kernel side would see: extrapolates a straight line from now.
void World::expect_crossing() {
  const std::int64_t rate = growth();
  const std::int64_t distance = available() - limit();
  if (rate <= 0 || distance <= 0 || (!without_.lost_events && numbers_.one_in(5))) {
    return;
  }
  const auto away = Duration(
      static_cast<std::int64_t>(1e9 * static_cast<double>(distance) / static_cast<double>(rate)));
  if (away < kInterval) {
    for (int i = numbers_.one_in(10) ? 2 : 1; i > 0; --i) {
      plan(now_ + away + milliseconds(1) + about(milliseconds(5)), What::kCrossing);
    }
    if (configuration_->backstop_margin && numbers_.one_in(2)) {
      plan(std::max(now_, now_ + away - about(kApproach)), What::kApproach);
    }
  }
}

/// The kernel kills the largest pod.
void World::out_of_memory() {
  while (available() <= 0) {
    const auto most =
        std::max_element(pods_.begin(), pods_.end(), [this](const Pod& a, const Pod& b) {
          return (a.running ? a.bytes_at(now_) : 0) < (b.running ? b.bytes_at(now_) : 0);
        });
    if (!most->running) {
      return;
    }
    tell(engine::OomKilled{});
    end_pod(static_cast<std::size_t>(most - pods_.begin()));
  }
}

std::int64_t World::available() const {
  std::int64_t used = others_;
  for (const Pod& pod : pods_) {
    used += pod.bytes_at(now_);
  }
  return std::max<std::int64_t>(capacity_ - used, 0);
}

std::int64_t World::limit() const {
  return static_cast<std::int64_t>(
      configuration_->manager.thresholds().limit(0, capacity_, eviction::MinReclaim::kIgnored));
}

std::int64_t World::growth() const {
  std::int64_t sum = 0;
  for (const Pod& pod : pods_) {
    if (pod.running && pod.bytes_at(now_) < pod.most) {
      sum += pod.growth;
    }
  }
  return sum;
}

CgroupUsage World::usage_of(const Pod& pod) const {
  CgroupUsage usage;
  if (pod.present) {
    usage.usage = Bytes{pod.bytes_at(now_)};
    usage.inactive_file = Bytes{0};
    usage.tasks = pod.tasks;
    usage.read_at = now_;
  }
  return usage;
}

Pod* World::find(CgroupId id) {
  const auto pod = std::find_if(pods_.begin(), pods_.end(),
                                [&](const Pod& one) { return one.present && one.view.id == id; });
  return pod == pods_.end() ? nullptr : &*pod;
}

}  // namespace evictd::simulation
