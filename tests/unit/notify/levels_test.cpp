// SPDX-License-Identifier: Apache-2.0
#include "notify/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace evictd::notify {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<RegistrationId> told_at(Levels& levels, std::uint64_t value) {
  std::vector<RegistrationId> told;
  levels.move(levels.position_of(value), told);
  return told;
}

Levels begun(std::vector<LevelListener> listeners, std::uint64_t value) {
  Levels levels(std::move(listeners));
  levels.begin(levels.position_of(value));
  return levels;
}

TEST(Levels, TellOnceForEachCrossingInEitherDirection) {
  Levels levels = begun({{.id = 1, .threshold = 100}}, 50);
  EXPECT_THAT(told_at(levels, 99), IsEmpty());
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1));
  EXPECT_THAT(told_at(levels, 5000), IsEmpty());
  EXPECT_THAT(told_at(levels, 99), ElementsAre(1));
  EXPECT_THAT(told_at(levels, 0), IsEmpty());
}

TEST(Levels, DoNotTellWhoBeginsOnTheSideWhereTheValueIs) {
  Levels levels = begun({{.id = 1, .threshold = 100}}, 100);
  EXPECT_TRUE(levels.find(1)->above);
  EXPECT_THAT(told_at(levels, 200), IsEmpty());
  EXPECT_THAT(told_at(levels, 99), ElementsAre(1));
}

TEST(Levels, TellInTheOrderInWhichTheValuePassed) {
  Levels levels = begun(
      {{.id = 3, .threshold = 300}, {.id = 1, .threshold = 100}, {.id = 2, .threshold = 200}}, 0);
  EXPECT_THAT(told_at(levels, 1000), ElementsAre(1, 2, 3));
  EXPECT_THAT(told_at(levels, 150), ElementsAre(3, 2));
}

TEST(Levels, TellEveryListenerOfAThreshold) {
  Levels levels = begun({{.id = 1, .threshold = 100}, {.id = 2, .threshold = 100}}, 0);
  EXPECT_EQ(levels.edges().size(), 1U);
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1, 2));
}

TEST(Levels, HaveZeroReachedAlways) {
  Levels levels = begun({{.id = 1, .threshold = 0}}, 0);
  EXPECT_TRUE(levels.find(1)->above);
  EXPECT_THAT(told_at(levels, 10), IsEmpty());
}

TEST(Levels, TellOnlyTheDirectionThatWasAskedFor) {
  Levels levels = begun({{.id = 1, .threshold = 100, .direction = EVICTD_NOTIFY_UP},
                         {.id = 2, .threshold = 100, .direction = EVICTD_NOTIFY_DOWN}},
                        0);
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1));
  EXPECT_THAT(told_at(levels, 0), ElementsAre(2));
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1));
}

TEST(Levels, StayAboveUntilTheHysteresisIsUsedUp) {
  Levels levels = begun({{.id = 1, .threshold = 100, .hysteresis = 30}}, 0);
  EXPECT_THAT(told_at(levels, 80), IsEmpty());
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1));
  EXPECT_THAT(told_at(levels, 70), IsEmpty());
  EXPECT_THAT(told_at(levels, 100), IsEmpty());
  EXPECT_THAT(told_at(levels, 69), ElementsAre(1));
  EXPECT_THAT(told_at(levels, 99), IsEmpty());
  EXPECT_THAT(told_at(levels, 100), ElementsAre(1));
}

TEST(Levels, KeepTheSideOfThoseWhoWereThereWhenAnotherJoins) {
  Levels levels = begun({{.id = 1, .threshold = 100, .hysteresis = 30}}, 0);
  told_at(levels, 100);
  told_at(levels, 80);  // within the hysteresis: still above
  std::vector<LevelListener> all = levels.listeners();
  all.push_back({.id = 2, .threshold = 90});
  Levels more(std::move(all));
  more.begin(more.position_of(80));
  EXPECT_TRUE(more.find(1)->above);
  EXPECT_FALSE(more.find(2)->above);
  EXPECT_THAT(told_at(more, 60), ElementsAre(1));
}

/// What cgroup v1 does (__mem_cgroup_threshold), written after it.
class VersionOne {
 public:
  VersionOne(std::vector<LevelListener> entries, std::uint64_t usage)
      : entries_(std::move(entries)) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.threshold < b.threshold; });
    for (const LevelListener& entry : entries_) {
      current_ += entry.threshold <= usage ? 1 : 0;
    }
  }

  std::vector<RegistrationId> at(std::uint64_t usage) {
    std::vector<RegistrationId> told;
    std::ptrdiff_t i = current_;
    for (; i >= 0 && entry(i).threshold > usage; --i) {
      told.push_back(entry(i).id);
    }
    ++i;
    for (; i < static_cast<std::ptrdiff_t>(entries_.size()) && entry(i).threshold <= usage; ++i) {
      told.push_back(entry(i).id);
    }
    current_ = i - 1;
    return told;
  }

 private:
  [[nodiscard]] const LevelListener& entry(std::ptrdiff_t i) const {
    return entries_[static_cast<std::size_t>(i)];
  }
  std::vector<LevelListener> entries_;
  std::ptrdiff_t current_ = -1;
};

TEST(Levels, TellAsVersionOneOnRandomWalks) {
  std::minstd_rand random(20261);
  for (int walk = 0; walk < 200; ++walk) {
    std::vector<LevelListener> listeners;
    // Distinct thresholds: v1 tells those of one threshold in no particular order.
    for (RegistrationId id = 1; id <= 1 + random() % 20; ++id) {
      listeners.push_back({.id = id, .threshold = id * 50 + random() % 50});
    }
    const std::uint64_t start = random() % 1200;
    VersionOne model(listeners, start);
    Levels levels = begun(listeners, start);
    for (int step = 0; step < 200; ++step) {
      const std::uint64_t value = random() % 1200;
      ASSERT_EQ(told_at(levels, value), model.at(value)) << walk << ' ' << step;
    }
  }
}

TEST(Levels, KeepTheSidesOfWhoWasThereBeforeAndGiveOnesToWhoIsNew) {
  std::vector<LevelListener> listeners{{.id = 1, .threshold = 300},
                                       {.id = 2, .threshold = 100, .hysteresis = 60},
                                       {.id = 3, .threshold = 100},
                                       {.id = 4, .threshold = 20}};
  Levels before = begun(listeners, 150);
  EXPECT_THAT(told_at(before, 70), ElementsAre(3));
  listeners.erase(listeners.begin() + 3);
  listeners.push_back({.id = 5, .threshold = 100, .hysteresis = 60});
  listeners.push_back({.id = 6, .threshold = 60});
  Levels levels(listeners);
  levels.keep_sides(before);
  levels.begin(levels.position_of(70));
  EXPECT_FALSE(levels.find(1)->above);
  EXPECT_TRUE(levels.find(2)->above);
  EXPECT_FALSE(levels.find(3)->above);
  EXPECT_FALSE(levels.find(5)->above);
  EXPECT_TRUE(levels.find(6)->above);
}

/// A search for each of them would take minutes, and so the time limit of the test.
TEST(Levels, KeepTheSidesOfVeryManyInOneGo) {
  constexpr RegistrationId kMany = 600'000;
  std::vector<LevelListener> listeners;
  for (RegistrationId id = 1; id <= kMany; ++id) {
    listeners.push_back({.id = id, .threshold = id % 50});
  }
  const Levels before = begun(listeners, 25);
  Levels levels(std::move(listeners));
  levels.keep_sides(before);
  EXPECT_TRUE(std::all_of(levels.listeners().begin(), levels.listeners().end(),
                          [](const LevelListener& listener) {
                            return listener.placed && listener.above == (listener.threshold <= 25);
                          }));
}

TEST(Levels, ComeToTheSameSidesInOneMoveAsInMany) {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<LevelListener> listeners;
    for (RegistrationId id = 1; id <= 10; ++id) {
      const std::uint64_t threshold = random() % 1000;
      listeners.push_back(
          {.id = id, .threshold = threshold, .hysteresis = random() % (threshold + 1)});
    }
    Levels jumps = begun(listeners, 500);
    Levels walks = jumps;
    const std::uint64_t to = random() % 1000;
    std::vector<RegistrationId> told;
    jumps.move(jumps.position_of(to), told);
    while (walks.position() != walks.position_of(to)) {
      walks.move(walks.position() + (walks.position() < walks.position_of(to) ? 1U : -1U), told);
    }
    for (const LevelListener& listener : listeners) {
      EXPECT_EQ(jumps.find(listener.id)->above, walks.find(listener.id)->above);
    }
  }
}

}  // namespace
}  // namespace evictd::notify
