// SPDX-License-Identifier: Apache-2.0
// What the engine does with what only a replay has to tell.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "eviction/parse_thresholds.h"
#include "moments.h"

namespace evictd::engine {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

eviction::EvictionManager manager(std::optional<std::chrono::seconds> grace) {
  eviction::ThresholdTexts texts;
  texts.hard = {{"memory.available", "100Mi"}};
  eviction::PassSettings settings;
  settings.hard_grace = grace;
  settings.thresholds = eviction::parse_thresholds(texts, eviction::Compat::k1_32).value();
  return eviction::EvictionManager::create(std::move(settings)).value();
}

/// A node with two pods, in a dry run.
class EngineTest : public testing::Test {
 protected:
  explicit EngineTest(std::optional<std::chrono::seconds> grace = std::nullopt)
      : configuration_(manager(grace)) {
    configuration_.dry_run = true;
    tell(Woken{now_});
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      tell(PodPlaced{{.slot = slot,
                      .id = pod(slot),
                      .occupancy = Occupancy::kRunning,
                      .has_target = true,
                      .unprotected = true}});
    }
  }

  static CgroupId pod(std::uint32_t slot) { return {.hierarchy = 0, .id = slot + 1U}; }

  /// Tells it, and does what is wanted.
  void tell(const Event& event) {
    std::optional<Event> next = event;
    while (next) {
      const Effects effects = engine_.on(*next, now_);
      next.reset();
      for (const Effect& effect : effects) {
        if (std::holds_alternative<Read>(effect)) {
          next = read();
        } else if (std::holds_alternative<LookAgain>(effect)) {
          next = LookedAgain{.next_look = std::chrono::seconds(10)};
        } else if (const auto* signal = std::get_if<Signal>(&effect)) {
          signalled_.push_back(signal->pod);
          bridged_ = signal->bridge;
          next = Signalled{};
        } else if (std::holds_alternative<EndPretended>(effect)) {
          ++ended_;
        } else if (std::holds_alternative<GoOnWith>(effect)) {
          ++gone_on_with_;
          next = WentOn{};
        }
      }
    }
  }
  /// A turn in which so much is left; nothing where that cannot be read.
  void pass(std::optional<std::int64_t> available) {
    now_ += std::chrono::seconds(10);
    available_ = available;
    tell(Woken{now_});
    tell(Turn{});
  }

  MonoTime now_ = kNow;
  Configuration configuration_;
  Engine engine_{{.configuration = &configuration_, .layout = {}}, now_};
  std::vector<std::size_t> signalled_;
  /// Of the last signal.
  bool bridged_ = false;
  int ended_ = 0;
  int gone_on_with_ = 0;

 private:
  Event read() {
    seen_ = {};
    seen_[eviction::Signal::kMemoryAvailable] = eviction::Observation{
        .available = available_.value_or(0), .capacity = 1000 * kMiB, .time = now_};
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      pods_.at(i) = {};
      pods_.at(i).facts = &facts_;
      pods_.at(i).reading.state = eviction::ReadingState::kRead;
      pods_.at(i).reading.working_set_bytes = static_cast<std::int64_t>(2 - i) * kMiB;
    }
    ReadingsTaken taken;
    taken.observations = available_ ? &seen_ : nullptr;
    taken.pods = pods_;
    taken.slots = slots_;
    taken.usages = usages_;
    followed_.assign(engine_.followed().size(), {});
    taken.followed = followed_;
    return taken;
  }

  std::optional<std::int64_t> available_;
  eviction::Observations seen_;
  eviction::PodFacts facts_;
  std::array<eviction::PassPod, 2> pods_;
  std::array<std::uint32_t, 2> slots_{0, 1};
  std::array<CgroupUsage, 2> usages_;
  std::vector<FollowedPod> followed_;
};

TEST_F(EngineTest, WhomADryRunChoseIsNotChosenAgainUntilNothingIsMet) {
  tell(
      EvictionFound{.pod = pod(0), .phase = VictimPhase::kHardGrace, .dry_run = true, .usage = {}});
  EXPECT_EQ(gone_on_with_, 0) << "there is nothing to go on with";
  pass(50 * kMiB);
  EXPECT_TRUE(signalled_.empty());
  EXPECT_EQ(engine_.decision().reason, eviction::Reason::kVictimInGrace);

  pass(500 * kMiB);
  EXPECT_EQ(ended_, 1);
  pass(50 * kMiB);
  EXPECT_EQ(signalled_, std::vector<std::size_t>{0});
}

TEST_F(EngineTest, TheTimesBeforeAPassLackItsOwnEvictionOnly) {
  pass(50 * kMiB);
  EXPECT_TRUE(engine_.times_before().all().empty());
  EXPECT_EQ(engine_.eviction_times().all().size(), 1U);
  pass(500 * kMiB);
  EXPECT_EQ(engine_.times_before().all().size(), 1U);
}

TEST_F(EngineTest, APassWithoutStatisticsFailsAndIsFollowedByTheNext) {
  pass(std::nullopt);
  EXPECT_EQ(engine_.decision().outcome, eviction::Outcome::kFailed);
  EXPECT_EQ(engine_.decision().reason, eviction::Reason::kNoStatistics);

  pass(50 * kMiB);
  EXPECT_EQ(engine_.decision().outcome, eviction::Outcome::kEvicted);
}

/// A victim has no time.
class EngineTestAtOnce : public EngineTest {
 protected:
  EngineTestAtOnce() : EngineTest(std::chrono::seconds(0)) {}
};

TEST_F(EngineTest, AGraceForMemoryIsBridgedIfConfigured) {
  configuration_.bridge_grace = true;
  pass(50 * kMiB);
  ASSERT_EQ(signalled_.size(), 1U);
  EXPECT_TRUE(bridged_);
}

TEST_F(EngineTest, AGraceIsNotBridgedByDefault) {
  pass(50 * kMiB);
  ASSERT_EQ(signalled_.size(), 1U);
  EXPECT_FALSE(bridged_);
}

TEST_F(EngineTestAtOnce, NothingIsBridgedWithoutAGrace) {
  configuration_.bridge_grace = true;
  pass(50 * kMiB);
  ASSERT_EQ(signalled_.size(), 1U);
  EXPECT_FALSE(bridged_);
}

}  // namespace
}  // namespace evictd::engine
