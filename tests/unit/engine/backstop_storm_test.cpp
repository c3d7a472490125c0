// SPDX-License-Identifier: Apache-2.0
// Whatever happens while a plan is armed: whoever the kernel side kills is whom a pass would kill.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "engine/backstop.h"
#include "eviction/parse_thresholds.h"
#include "support/numbers.h"
#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

using eviction::Observation;
using eviction::Observations;

constexpr Bytes kFastest = 2_GiB;
/// What a pod can gain in the time of a plan.
constexpr std::int64_t kMostGained = kFastest.value * kBackstopLasts.count() / 1'000'000'000;

/// A node in the last moments before a threshold, and what may become of it within a plan's time.
class Storm {
 public:
  explicit Storm(std::uint64_t seed) : numbers_(seed), manager_(manager()) {
    for (int i = numbers_.up_to(11); i >= 0; --i) {
      add_pod();
    }
    brakes_.growth.memory_per_second = kFastest;
    const std::int64_t limit = (1_GiB).value;
    see(eviction::Signal::kMemoryAvailable, limit + up_to(4_MiB), 16_GiB);
    if (numbers_.one_in(2)) {
      see(eviction::Signal::kAllocatableMemoryAvailable, limit + up_to(40_MiB), 8_GiB);
    }
  }

  [[nodiscard]] std::optional<BackstopPlan> plan() {
    manager_.synchronize(kNow, input());
    const auto made = plan_backstop({.manager = &manager_,
                                     .input = input(),
                                     .usages = usages_,
                                     .scope = scope_,
                                     .margin = Bytes{up_to(1_MiB)},
                                     .growth = kFastest,
                                     .now = kNow + Duration{1000},
                                     .until = kNow + std::chrono::seconds(1)});
    return made ? std::optional(*made) : std::nullopt;
  }

  /// Lets up to the whole time of a plan pass.
  void blow(const BackstopPlan& plan) {
    now_ = plan.expires_at - Duration{up_to(Bytes{kBackstopLasts.count() - 1000})};
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const std::int64_t before = before_[i].value;
      const std::int64_t charged =
          std::max<std::int64_t>(before + kMostGained - up_to(Bytes{2 * kMostGained}), 0);
      const std::int64_t cache = numbers_.one_in(2) ? 0 : up_to(Bytes{charged / 8});
      hold(i, charged, cache);
    }
    for (const eviction::Signal signal : kMemory) {
      if (std::optional<Observation>& one = seen_[signal]) {
        one->available = watched() == signal ? plan.most_available + (1_MiB).value - up_to(20_MiB)
                                             : first_[signal]->available + kMostGained -
                                                   up_to(Bytes{2 * kMostGained});
        one->time = now_;
        one->rate = numbers_.one_in(4) ? std::nullopt : std::optional(up_to(64_GiB));
        if (numbers_.one_in(3)) {
          one->kernel_available = up_to(1_GiB);
        }
      }
    }
  }

  enum class Answer : std::uint8_t { kElsewhere, kOvertaken, kFires };

  [[nodiscard]] Answer kernel_side(const BackstopPlan& plan) const {
    const Observation& seen = *seen_[watched()];
    if (seen.available > plan.most_available || seen.available < plan.least_available ||
        seen.rate.value_or(0) < plan.least_rate) {
      return Answer::kElsewhere;
    }
    const std::int64_t held = pods_[plan.victim].reading.working_set_bytes;
    const bool overtaken = std::ranges::any_of(plan.compared(), [&](const BackstopRival& rival) {
      return eviction::overtakes(rival.terms, pods_[rival.pod].reading.working_set_bytes,
                                 plan.victim_terms, held);
    });
    return overtaken || held < plan.least_working_set ? Answer::kOvertaken : Answer::kFires;
  }

  /// Whom a pass kills now, without a grace period.
  [[nodiscard]] std::optional<std::size_t> pass() const {
    eviction::EvictionManager twin = manager_;
    const eviction::Decision& decision = twin.synchronize(now_, input());
    const bool at_once = decision.grace.count() == 0 || decision.cut_at_once;
    return decision.outcome == eviction::Outcome::kEvicted && at_once ? decision.victim
                                                                      : std::nullopt;
  }

 private:
  static constexpr std::array kMemory{eviction::Signal::kMemoryAvailable,
                                      eviction::Signal::kAllocatableMemoryAvailable};

  std::int64_t up_to(Bytes most) {
    return static_cast<std::int64_t>(numbers_.next() % static_cast<std::uint64_t>(most.value + 1));
  }

  eviction::EvictionManager manager() {
    eviction::ThresholdTexts texts;
    texts.hard = {{"memory.available", "1Gi"}};
    if (numbers_.one_in(3)) {
      texts.soft = {{"memory.available", "1026Mi"}};
      texts.soft_grace_period = {{"memory.available", "1m"}};
    }
    texts.enforce_node_allocatable = {"pods"};
    eviction::PassSettings settings;
    settings.thresholds = eviction::parse_thresholds(texts, eviction::Compat::k1_32).value();
    settings.hard_grace = std::chrono::seconds(numbers_.up_to(1));
    settings.hard_floor.percent_of_threshold = numbers_.one_in(2) ? 50 : 90 + numbers_.up_to(10);
    settings.hard_grace_policy =
        numbers_.one_in(4) ? eviction::GracePolicy::kKubelet : eviction::GracePolicy::kPredicted;
    scope_ = numbers_.one_in(4) ? eviction::Scope::kPodRoot : eviction::Scope::kNode;
    return eviction::EvictionManager::create(std::move(settings)).value();
  }

  void add_pod() {
    eviction::PodFacts& facts = facts_.emplace_back();
    facts.priority = numbers_.up_to(2);
    facts.memory_request_nanos =
        eviction::Wide{numbers_.up_to(3)} * (50_MiB).value * 1'000'000'000 + numbers_.up_to(2) - 1;
    facts.is_critical = numbers_.one_in(6);
    facts.below_pod_root = !numbers_.one_in(5);
    eviction::PassPod pod;
    pod.facts = &facts;
    pod.reading.state = eviction::ReadingState::kRead;
    pods_.push_back(pod);
    usages_.emplace_back();
    before_.push_back(Bytes{(numbers_.one_in(3) ? 100_MiB : 98_MiB).value + up_to(8_MiB)});
    hold(pods_.size() - 1, before_.back().value, numbers_.one_in(3) ? up_to(20_MiB) : 0);
  }

  void hold(std::size_t pod, std::int64_t charged, std::int64_t cache) {
    usages_[pod].usage = Bytes{charged};
    usages_[pod].inactive_file = Bytes{cache};
    pods_[pod].reading.working_set_bytes = usages_[pod].working_set().value;
  }

  void see(eviction::Signal signal, std::int64_t available, Bytes capacity) {
    Observation seen{.available = available, .capacity = capacity.value, .time = kNow};
    if (numbers_.one_in(2)) {
      seen.rate = up_to(64_GiB);
    }
    seen_[signal] = seen;
    first_[signal] = seen;
  }

  [[nodiscard]] eviction::Signal watched() const {
    return scope_ == eviction::Scope::kPodRoot ? eviction::Signal::kAllocatableMemoryAvailable
                                               : eviction::Signal::kMemoryAvailable;
  }

  [[nodiscard]] eviction::PassInput input() const {
    eviction::PassInput input;
    input.observations = &seen_;
    input.pods = pods_;
    input.brakes = &brakes_;
    return input;
  }

  test::SeededNumbers numbers_;
  eviction::Scope scope_ = eviction::Scope::kNode;
  eviction::EvictionManager manager_;
  eviction::Brakes brakes_;
  Observations seen_;
  Observations first_;
  std::deque<eviction::PodFacts> facts_;
  std::vector<eviction::PassPod> pods_;
  std::vector<CgroupUsage> usages_;
  std::vector<Bytes> before_;
  MonoTime now_ = kNow;
};

TEST(BackstopInAStorm, KillsOnlyWhomAPassWouldKill) {
  std::uint64_t fired = 0;
  std::uint64_t overtaken = 0;
  std::uint64_t others = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    Storm storm(seed);
    const std::optional<BackstopPlan> plan = storm.plan();
    for (int gust = 0; plan && gust < 10; ++gust) {
      storm.blow(*plan);
      switch (storm.kernel_side(*plan)) {
        case Storm::Answer::kElsewhere:
          break;
        case Storm::Answer::kOvertaken:
          ++overtaken;
          others += storm.pass() == plan->victim ? 0 : 1;
          break;
        case Storm::Answer::kFires:
          ++fired;
          ASSERT_EQ(storm.pass(), plan->victim) << "seed " << seed << ", gust " << gust;
          break;
      }
    }
  }
  EXPECT_GT(fired, 1000U);
  EXPECT_GT(others, 1000U) << "of " << overtaken << ": too few pods overtook the victim";
}

}  // namespace
}  // namespace evictd::engine
