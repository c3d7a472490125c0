// SPDX-License-Identifier: Apache-2.0
// The engine and the kill that the kernel side may do alone.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "eviction/parse_thresholds.h"
#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Bytes kAboveThreshold = 1_GiB + 1_MiB;
constexpr Bytes kBelowThreshold = 1_GiB - 2_MiB;

/// An engine on a node of 16 GiB with a hard threshold of 1 GiB and two pods, of which the second
/// one is the first candidate. Answers the engine's questions.
class EngineWithBackstop : public testing::Test {
 protected:
  EngineWithBackstop() {
    turn({PodPlaced{pod(1)}, PodPlaced{pod(2)}});
    now_ += milliseconds(1);
  }

  static std::unique_ptr<Configuration> configuration(eviction::ThresholdTexts texts = {}) {
    texts.hard = {{"memory.available", "1Gi"}};
    eviction::PassSettings settings;
    settings.thresholds = eviction::parse_thresholds(texts, eviction::Compat::k1_32).value();
    settings.hard_grace = seconds(0);
    auto made = std::make_unique<Configuration>(
        eviction::EvictionManager::create(std::move(settings)).value());
    made->backstop_margin = 1_MiB;
    return made;
  }

  static PodView pod(std::uint32_t slot) {
    return {.slot = slot,
            .id = {.hierarchy = 0, .id = slot},
            .occupancy = Occupancy::kRunning,
            .has_target = true,
            .unprotected = true,
            .below_pod_root = true};
  }

  void turn(const std::vector<Event>& events) {
    send(Woken{now_});
    for (const Event& event : events) {
      send(event);
    }
    send(Turn{});
    now_ += milliseconds(1);
  }

  void rehearse() {
    turn({Approached{
        .scope = eviction::Scope::kNode, .away = milliseconds(1), .may_stand_by = false}});
  }

  void send(const Event& event) {
    std::optional<Event> next = event;
    while (next) {
      const Effects effects = engine_.on(*next, now_);
      next.reset();
      for (const Effect& effect : effects) {
        performed_.push_back(effect);
        next = answer(effect);
      }
    }
  }

  std::optional<Event> answer(const Effect& effect) {
    if (const auto* read = std::get_if<Read>(&effect)) {
      now_ += std::chrono::microseconds(50);  // The next pass has newer readings.
      return readings(read->at);
    }
    if (std::holds_alternative<LookAgain>(effect)) {
      return LookedAgain{.next_look = seconds(10)};
    }
    if (std::holds_alternative<DisarmBackstop>(effect)) {
      return BackstopTaken{std::exchange(fired_at_, std::nullopt)};
    }
    if (std::holds_alternative<Signal>(effect)) {
      return Signalled{.refused = refusal_, .ticket = {}, .last_at = now_};
    }
    return std::nullopt;
  }

  ReadingsTaken readings(MonoTime at) {
    seen_[eviction::Signal::kMemoryAvailable] = eviction::Observation{
        .available = available_.value, .capacity = (16_GiB).value, .time = at};
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      usages_[i].usage = i == 0 ? 100_MiB : 300_MiB;
      pods_[i] = {};
      pods_[i].facts = &facts_;
      pods_[i].reading.state = eviction::ReadingState::kRead;
      pods_[i].reading.working_set_bytes = usages_[i].usage.value;
    }
    followed_.clear();
    for (const std::uint32_t slot : engine_.followed()) {
      followed_.push_back({.usage = usages_[slot - 1]});
    }
    ReadingsTaken taken;
    taken.observations = &seen_;
    taken.pods = pods_;
    taken.slots = slots_;
    taken.usages = usages_;
    taken.followed = followed_;
    return taken;
  }

  template <typename Kind>
  [[nodiscard]] std::vector<Kind> performed() const {
    std::vector<Kind> found;
    for (const Effect& effect : performed_) {
      if (const auto* one = std::get_if<Kind>(&effect)) {
        found.push_back(*one);
      }
    }
    return found;
  }

  std::uint64_t refused_for(NoBackstop why) const {
    return engine_.counters().backstops_refused[static_cast<std::size_t>(why)];
  }

  Bytes available_ = kAboveThreshold;
  std::optional<MonoTime> fired_at_;
  std::optional<Errc> refusal_;
  std::vector<Effect> performed_;
  MonoTime now_ = kNow;
  std::unique_ptr<Configuration> configuration_ = configuration();
  Engine engine_{EngineOptions{.configuration = configuration_.get(), .layout = {}}, kNow};
  eviction::PodFacts facts_;
  eviction::Observations seen_;
  std::array<eviction::PassPod, 2> pods_;
  std::array<std::uint32_t, 2> slots_{1, 2};
  std::array<CgroupUsage, 2> usages_;
  std::vector<FollowedPod> followed_;
};

TEST_F(EngineWithBackstop, ArmsItAfterARehearsal) {
  EXPECT_TRUE(performed<ArmBackstop>().empty());
  rehearse();
  EXPECT_EQ(performed<ArmBackstop>().size(), 1U);
  EXPECT_EQ(engine_.backstop().victim, 1U);
  EXPECT_EQ(engine_.counters().backstops_armed, 1U);
}

TEST_F(EngineWithBackstop, DisarmsItBeforeAnyOtherEvent) {
  rehearse();
  performed_.clear();
  send(Woken{now_});
  ASSERT_EQ(performed_.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<DisarmBackstop>(performed_[0]));
  turn({});
  EXPECT_EQ(performed<DisarmBackstop>().size(), 1U) << "it was armed no more";
}

TEST_F(EngineWithBackstop, IsNotArmedNorRehearsedForTheApproachOfASoftThreshold) {
  eviction::ThresholdTexts soft;
  soft.soft = {{"memory.available", "2Gi"}};
  soft.soft_grace_period = {{"memory.available", "30s"}};
  const auto with_soft = configuration(std::move(soft));
  const Approached approached{.scope = eviction::Scope::kNode,
                              .away = milliseconds(1),
                              .rate = (4_GiB).value,
                              .may_stand_by = true};
  turn({ConfigurationChanged{with_soft.get()}});
  available_ = 2_GiB + 4_MiB;
  turn({approached});
  EXPECT_TRUE(performed<Rehearse>().empty());
  EXPECT_TRUE(performed<ArmBackstop>().empty());
  EXPECT_FALSE(engine_.stands_by());

  available_ = kAboveThreshold;
  turn({approached});
  EXPECT_EQ(performed<Rehearse>().size(), 1U);
  EXPECT_TRUE(engine_.stands_by());
}

TEST_F(EngineWithBackstop, NeedsAMarginInTheConfiguration) {
  configuration_->backstop_margin.reset();
  rehearse();
  EXPECT_TRUE(performed<ArmBackstop>().empty());
}

TEST_F(EngineWithBackstop, IsNotArmedInADryRun) {
  OperatorWishes wishes;
  wishes.dry_run = true;
  turn({WishesChanged{wishes}});
  rehearse();
  EXPECT_EQ(refused_for(NoBackstop::kDryRun), 1U);
}

TEST_F(EngineWithBackstop, IsNotArmedWhileAVictimDies) {
  available_ = kBelowThreshold;
  turn({PassRequested{}});
  ASSERT_EQ(performed<Signal>().size(), 1U);
  available_ = kAboveThreshold;
  rehearse();
  EXPECT_EQ(refused_for(NoBackstop::kVictims), 1U);
}

TEST_F(EngineWithBackstop, IsNotArmedForAProtectedPod) {
  PodView guarded = pod(2);
  guarded.unprotected = false;
  turn({PodPlaced{guarded}});
  rehearse();
  EXPECT_EQ(refused_for(NoBackstop::kPodsUnknown), 1U);
}

TEST_F(EngineWithBackstop, AdoptsAKillAtOnce) {
  rehearse();
  performed_.clear();
  const MonoTime fired_at = now_ - Duration{1};
  fired_at_ = fired_at;
  send(Woken{now_});
  const std::vector<Signal> signals = performed<Signal>();
  ASSERT_EQ(signals.size(), 1U);
  EXPECT_TRUE(signals[0].begun_by_kernel);
  EXPECT_EQ(signals[0].pod, 1U);
  EXPECT_EQ(signals[0].grace.count(), 0);
  EXPECT_EQ(engine_.decision().outcome, eviction::Outcome::kEvicted);
  EXPECT_EQ(performed<Report>().at(0).crossed_at, fired_at);
  EXPECT_EQ(engine_.counters().evictions, 1U);
}

TEST_F(EngineWithBackstop, RanksNobodyWhileAKilledPodDies) {
  rehearse();
  fired_at_ = now_;
  available_ = kBelowThreshold;
  turn({Crossed{.threshold = 0, .at = now_}});
  EXPECT_EQ(performed<Signal>().size(), 1U);
  EXPECT_EQ(engine_.decision().outcome, eviction::Outcome::kHeld);
}

TEST_F(EngineWithBackstop, AKillThatLeftNobodyIsOver) {
  rehearse();
  fired_at_ = now_;
  refusal_ = Errc::kNotFound;
  available_ = kBelowThreshold;
  turn({Crossed{.threshold = 0, .at = now_}});
  const Victim* victim = engine_.victims().find(pod(2).id);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->phase, VictimPhase::kReleased);
  EXPECT_FALSE(victim->observed_only);
}

TEST_F(EngineWithBackstop, APodRestartedBetweenTheKillAndThePassIsInUse) {
  rehearse();
  const MonoTime killed_at = now_;
  fired_at_ = killed_at;
  refusal_ = Errc::kNotFound;
  now_ += milliseconds(1);
  turn({Populated{.pod = pod(2).id, .at = killed_at + Duration(1)}});
  EXPECT_EQ(performed<Signal>().size(), 1U);
  EXPECT_EQ(engine_.victims().find(pod(2).id), nullptr) << "its memory would count as left";
}

TEST_F(EngineWithBackstop, DecidesWhatElseWasWantedAfterAnAdoption) {
  rehearse();
  fired_at_ = now_;
  turn({});
  ASSERT_EQ(performed<Signal>().size(), 1U);
  EXPECT_EQ(performed<Report>().back().trigger, PassTrigger::kRequest);
}

TEST_F(EngineWithBackstop, WaitsNoMoreForWhatCannotBeSignalledInAKilledPod) {
  rehearse();
  fired_at_ = now_;
  turn({});
  const Victim* victim = engine_.victims().find(pod(2).id);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->phase, VictimPhase::kKilled);
  EXPECT_FALSE(victim->observed_only);
  performed_.clear();
  turn({VictimStep{.pod = pod(2).id,
                   .what = VictimStep::What::kExceededGrace,
                   .at = now_,
                   .spared = true,
                   .usage = usages_[1]}});
  victim = engine_.victims().find(pod(2).id);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->phase, VictimPhase::kOver);
  EXPECT_EQ(performed<ClearIntent>().size(), 1U) << "the next evictd would kill it";
}

TEST_F(EngineWithBackstop, WaitsForAKilledPodWithoutAnActuator) {
  rehearse();
  fired_at_ = now_;
  refusal_ = Errc::kInvalid;
  available_ = kBelowThreshold;
  turn({Crossed{.threshold = 0, .at = now_}});
  const Victim* victim = engine_.victims().find(pod(2).id);
  ASSERT_NE(victim, nullptr);
  EXPECT_TRUE(victim->observed_only);
  EXPECT_EQ(performed<Signal>().size(), 1U);
}

}  // namespace
}  // namespace evictd::engine
