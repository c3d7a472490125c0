// SPDX-License-Identifier: Apache-2.0
// When the state file gets to know since when a threshold has been met.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "daemon/state/state_keeper.h"
#include "eviction/parse_thresholds.h"
#include "support/fake_tree.h"
#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const StateOrigin kHere{.boot_id = "b", .pod_root = "/kubepods", .pod_root_id = 3};

eviction::ThresholdTable one_hard_and_one_soft() {
  eviction::ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}};
  texts.soft = {{"memory.available", "2Gi"}};
  texts.soft_grace_period = {{"memory.available", "90s"}};
  return eviction::ThresholdTable::create(
             eviction::parse_thresholds(texts, eviction::Compat::k1_32).value())
      .value();
}

class KeptGrace : public testing::Test {
 protected:
  /// A pass by which the soft or hard threshold has been met since `since`, or is not met.
  void pass(bool hard, std::optional<MonoTime> since) {
    copy_.state.first_observed[table_[0].is_hard() == hard ? 0 : 1] = since;
    if (since) {
      copy_.state.conditions_last_observed[0] = since;
    }
    keeper_.set_pass(copy_, table_, kNow);
  }
  void pass(std::optional<MonoTime> since) { pass(/*hard=*/false, since); }
  /// The moments in the file once all that was handed over is written.
  [[nodiscard]] std::size_t kept(Duration later, StateKeeper::Lag lag = StateKeeper::Lag::kSome) {
    keeper_.keep(kNow + later, lag);
    EXPECT_TRUE(keeper_.await_kept(std::chrono::minutes(1)));
    return find_state(file_, kHere, kNow + std::chrono::hours(1)).state.thresholds.size();
  }

  const eviction::ThresholdTable table_ = one_hard_and_one_soft();
  test::FakeTree tree_;
  std::string file_ = tree_.real("/state");
  StateKeeper keeper_{{.path = file_, .origin = kHere, .found = {}}};
  PassCopy copy_;
};

TEST_F(KeptGrace, IsWrittenOnceItHasRunForASecond) {
  pass(kNow);
  EXPECT_EQ(kept(milliseconds(999)), 0U);
  EXPECT_EQ(kept(seconds(1)), 1U);
}

TEST_F(KeptGrace, ThatIsOverWithinASecondWritesNothing) {
  for (int swing = 0; swing < 9; ++swing) {
    pass(kNow + milliseconds(100 * swing));
    EXPECT_EQ(kept(milliseconds(100 * swing)), 0U);
    pass(std::nullopt);
    EXPECT_EQ(kept(milliseconds(100 * swing + 50)), 0U);
  }
  EXPECT_EQ(keeper_.counters().writes, 0U);
}

TEST_F(KeptGrace, ThatComesAndGoesForLongWritesItsConditionOnceASecond) {
  for (int swing = 0; swing < 100; ++swing) {
    pass(kNow + milliseconds(100 * swing));
    EXPECT_EQ(kept(milliseconds(100 * swing)), 0U);
    pass(std::nullopt);
    EXPECT_EQ(kept(milliseconds(100 * swing + 50)), 0U);
  }
  EXPECT_EQ(keeper_.counters().writes, 9U);
}

TEST_F(KeptGrace, ItsEndIsWrittenAtOnce) {
  pass(kNow);
  EXPECT_EQ(kept(seconds(1)), 1U);
  pass(std::nullopt);
  EXPECT_EQ(kept(milliseconds(1001)), 0U);
}

TEST_F(KeptGrace, ThatBeganAnewIsNoLongerTheOneInTheFile) {
  pass(kNow);
  EXPECT_EQ(kept(seconds(1)), 1U);
  pass(kNow + milliseconds(1001));
  EXPECT_EQ(kept(milliseconds(1001)), 0U) << "or the next evictd would think it older";
}

TEST_F(KeptGrace, HoldsNoOtherChangeUp) {
  pass(kNow);
  keeper_.set_wishes({.pauses = {}, .dry_run = true}, false);
  EXPECT_EQ(kept(Duration{0}), 0U);
  EXPECT_EQ(keeper_.counters().writes, 1U);
}

TEST_F(KeptGrace, IsWrittenAtTheEndOfEvictd) {
  pass(kNow);
  EXPECT_EQ(kept(Duration{0}, StateKeeper::Lag::kNone), 1U);
}

TEST_F(KeptGrace, AHardThresholdIsWrittenAtOnce) {
  pass(/*hard=*/true, kNow);
  EXPECT_EQ(kept(Duration{0}), 1U);
}

}  // namespace
}  // namespace evictd::daemon
