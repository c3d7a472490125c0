// SPDX-License-Identifier: Apache-2.0
#include "crossing_judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace evictd::test {
namespace {

using Look = CrossingJudge::Look;

/// Over two thresholds and back, then over the lower one alone and back.
CrossingJudge judge_of_two() {
  return {2, {0, 1, 1, 0, 0, 0}};
}

bool saw(CrossingJudge& judge, std::uint64_t low, std::uint64_t high) {
  const std::array looks{Look{0, low}, Look{1, high}, Look{0, low}};
  return judge.saw(looks);
}

TEST(CrossingJudge, FollowsAReaderThatComesLate) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 0, 0));
  EXPECT_TRUE(saw(judge, 1, 1));
  EXPECT_FALSE(judge.is_complete());
  EXPECT_TRUE(saw(judge, 4, 2));
  EXPECT_TRUE(judge.is_complete());
  EXPECT_EQ(judge.pairs_apart(), 0U);
}

TEST(CrossingJudge, SeesThatOneIsMissing) {
  CrossingJudge judge = judge_of_two();
  // The higher one was not told of, on the way up and down: so far this may be a pair.
  EXPECT_TRUE(saw(judge, 2, 0));
  EXPECT_EQ(judge.pairs_apart(), 1U);
  EXPECT_TRUE(saw(judge, 4, 0));
  EXPECT_FALSE(judge.is_complete());
}

TEST(CrossingJudge, IsNotCompleteWithoutTheLastOnes) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 2, 2));
  EXPECT_FALSE(judge.is_complete());
}

TEST(CrossingJudge, SeesAnotherOrder) {
  CrossingJudge judge = judge_of_two();
  const std::array looks{Look{1, 1}, Look{0, 0}};
  EXPECT_FALSE(judge.saw(looks));
  EXPECT_TRUE(judge.is_wrong());
  EXPECT_FALSE(saw(judge, 1, 1)) << "it stays wrong";
}

TEST(CrossingJudge, SeesThatOneIsTooMany) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 4, 2));
  EXPECT_FALSE(saw(judge, 4, 3));
}

TEST(CrossingJudge, CountsAPairAtOneThresholdApart) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 1, 0));
  EXPECT_TRUE(saw(judge, 1, 3));
  EXPECT_EQ(judge.pairs_apart(), 1U);
  EXPECT_TRUE(saw(judge, 4, 4));
  EXPECT_TRUE(judge.is_complete());
}

TEST(CrossingJudge, CountsAPairApartThatItSawByHalves) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 1, 1));
  EXPECT_TRUE(saw(judge, 1, 2));
  EXPECT_TRUE(saw(judge, 1, 3));
  EXPECT_EQ(judge.pairs_apart(), 1U);
  EXPECT_TRUE(saw(judge, 4, 4));
  EXPECT_TRUE(judge.is_complete());
}

TEST(CrossingJudge, CountsPairsApartThatItSawAtOnce) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 3, 3));
  EXPECT_EQ(judge.pairs_apart(), 2U);
  EXPECT_TRUE(saw(judge, 6, 4));
  EXPECT_TRUE(judge.is_complete());
}

TEST(CrossingJudge, CountsAPairApartThatCameWhileItLooked) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 1, 0));
  const std::array looks{Look{0, 1}, Look{1, 0}, Look{0, 3}};
  EXPECT_TRUE(judge.saw(looks));
  EXPECT_TRUE(saw(judge, 6, 2));
  EXPECT_EQ(judge.pairs_apart(), 1U);
  EXPECT_TRUE(judge.is_complete());
}

TEST(CrossingJudge, DoesNotTakeHalfAPairForTheWayBack) {
  CrossingJudge judge = judge_of_two();
  EXPECT_TRUE(saw(judge, 1, 0));
  // As if the higher one had been crossed, and both again, since it was looked at.
  const std::array looks{Look{0, 1}, Look{1, 0}, Look{0, 2}};
  EXPECT_TRUE(judge.saw(looks));
  EXPECT_TRUE(saw(judge, 3, 0));
  EXPECT_EQ(judge.pairs_apart(), 1U);
  EXPECT_TRUE(saw(judge, 6, 2));
  EXPECT_TRUE(judge.is_complete());
}

/// The same numbers every time.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed + 1) {}

  /// Below `end`.
  std::size_t below(std::size_t end) {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 12) % end;
  }
  bool one_in(std::size_t times) { return below(times) == 0; }

 private:
  std::uint32_t state_;
};

constexpr std::size_t kEventfdsOfAPlay = 6;

/// Excursions of one to three pairs of thresholds.
std::vector<std::size_t> play(Dice& dice) {
  std::vector<std::size_t> truth;
  for (int excursion = 0; excursion < 60; ++excursion) {
    const std::size_t height = 2 * (1 + dice.below(kEventfdsOfAPlay / 2));
    for (std::size_t i = 0; i < height; ++i) {
      truth.push_back(i);
    }
    for (std::size_t i = height; i > 0; --i) {
      truth.push_back(i - 1);
    }
  }
  return truth;
}

/// Crossings that one pair comes with: at worst, as usage was seen to make them, and most of the
/// time. With the first a pair may hide a missing one from a reader that sleeps over both.
constexpr std::size_t kManyPairs = 60;
constexpr std::size_t kFewPairs = 400;

/// What is signalled of it, with a pair at one in so many crossings.
std::vector<std::size_t> signals_of(const std::vector<std::size_t>& truth, Dice& dice,
                                    std::size_t one_in, std::uint64_t& pairs) {
  std::vector<std::size_t> signals;
  for (const std::size_t crossing : truth) {
    signals.push_back(crossing);
    if (dice.one_in(one_in)) {
      signals.insert(signals.end(), 2, crossing);
      ++pairs;
    }
  }
  return signals;
}

/// A reader that comes soon most of the time, and that loses its CPU now and then, also between
/// two of its looks.
class SleepyReader {
 public:
  SleepyReader(std::vector<std::size_t> signals, std::uint32_t seed)
      : signals_(std::move(signals)), dice_(seed) {}

  void read_all(CrossingJudge& judge) {
    while (at_ < signals_.size() && !judge.is_wrong()) {
      pass(1 + sleep(12));
      judge.saw(look_at_all());
    }
    // The last ones may have come behind its back.
    judge.saw(look_at_all());
  }

 private:
  std::size_t sleep(std::size_t one_in) { return dice_.one_in(one_in) ? dice_.below(30) : 0; }
  void pass(std::size_t signals) {
    for (const std::size_t end = std::min(at_ + signals, signals_.size()); at_ < end; ++at_) {
      ++counts_[signals_[at_]];
    }
  }
  std::vector<Look> look_at_all() {
    std::vector<Look> looks;
    for (std::size_t i = 0; i < kEventfdsOfAPlay; ++i) {
      looks.push_back(look(i));
    }
    for (std::size_t i = kEventfdsOfAPlay - 1; i > 0; --i) {
      looks.push_back(look(i - 1));
    }
    return looks;
  }
  Look look(std::size_t eventfd) {
    pass(sleep(24));
    return {.eventfd = eventfd, .count = counts_[eventfd]};
  }

  std::vector<std::size_t> signals_;
  Dice dice_;
  std::size_t at_ = 0;
  std::array<std::uint64_t, kEventfdsOfAPlay> counts_{};
};

constexpr std::uint32_t kPlays = 40;

TEST(CrossingJudge, FollowsAReaderThatSleepsAnywhere) {
  for (std::uint32_t seed = 0; seed < kPlays; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    std::uint64_t pairs = 0;
    const std::vector<std::size_t> truth = play(dice);
    SleepyReader reader(signals_of(truth, dice, kManyPairs, pairs), seed);
    CrossingJudge judge(kEventfdsOfAPlay, truth);
    reader.read_all(judge);
    EXPECT_TRUE(judge.is_complete()) << "after " << judge.reached() << " of " << truth.size();
    EXPECT_LE(judge.pairs_apart(), pairs);
  }
}

TEST(CrossingJudge, MissesNothingThatOneOfManyExcursionsLacks) {
  for (std::uint32_t seed = 0; seed < kPlays; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    std::uint64_t pairs = 0;
    const std::vector<std::size_t> truth = play(dice);
    // At the top of an excursion, or at the bottom between two.
    std::vector<std::size_t> told = truth;
    const auto turn =
        std::adjacent_find(told.begin() + static_cast<std::ptrdiff_t>(seed), told.end());
    told.erase(turn, turn + 2);
    SleepyReader reader(signals_of(told, dice, kFewPairs, pairs), seed);
    CrossingJudge judge(kEventfdsOfAPlay, truth);
    reader.read_all(judge);
    EXPECT_FALSE(judge.is_complete());
  }
}

TEST(CrossingJudge, MissesNothingThatIsSignalledTwice) {
  for (std::uint32_t seed = 0; seed < kPlays; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    std::uint64_t pairs = 0;
    const std::vector<std::size_t> truth = play(dice);
    std::vector<std::size_t> signals = signals_of(truth, dice, kManyPairs, pairs);
    const auto twice = signals.begin() + static_cast<std::ptrdiff_t>(dice.below(signals.size()));
    signals.insert(twice, *twice);
    SleepyReader reader(std::move(signals), seed);
    CrossingJudge judge(kEventfdsOfAPlay, truth);
    reader.read_all(judge);
    EXPECT_FALSE(judge.is_complete());
  }
}

}  // namespace
}  // namespace evictd::test
