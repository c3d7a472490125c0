// SPDX-License-Identifier: Apache-2.0
#include "notify/deliveries.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace evictd::notify {
namespace {

constexpr MonoTime kDeliveriesBegin{std::chrono::hours(1)};
constexpr uid_t kGreedyUid = 1000;
constexpr uid_t kOtherUid = 1001;

/// So many at once are paid for by what one of `users` users has saved up.
std::size_t most_at_once(std::size_t users) {
  const Duration own = Deliveries::kMostSaved / static_cast<Duration::rep>(users);
  return static_cast<std::size_t>((own + Deliveries::kMostSaved) / Deliveries::kCost);
}

class DeliveriesTest : public testing::Test {
 protected:
  /// `count` registrations of `owner`, which stay where they are.
  std::vector<Registration*> join(uid_t owner, std::size_t count) {
    std::vector<Registration*> joined;
    for (std::size_t i = 0; i < count; ++i) {
      Registration& registration = registrations_.emplace_back();
      registration.owner = owner;
      registration.id = registrations_.size();
      deliveries_.join(registration);
      joined.push_back(&registration);
    }
    return joined;
  }
  /// Each of `due` in one turn; how many are given at once.
  std::size_t give(const std::vector<Registration*>& due) {
    deliveries_.begin(now_);
    std::size_t given = 0;
    for (Registration* const registration : due) {
      given += deliveries_.give(*registration) ? 1 : 0;
    }
    return given;
  }
  std::vector<Registration*> pay() {
    std::vector<Registration*> paid;
    more_ = deliveries_.pay(now_, paid);
    return paid;
  }
  /// More turns than there can be signals for.
  void use_up(const std::vector<Registration*>& due) {
    for (std::size_t i = 0; i < 2 * most_at_once(1); i += due.size()) {
      give(due);
    }
    while (!pay().empty()) {
    }
  }

  Deliveries deliveries_;
  std::deque<Registration> registrations_;
  MonoTime now_ = kDeliveriesBegin;
  /// What the last pay() returned.
  bool more_ = false;
};

TEST_F(DeliveriesTest, GivesAtOnceWhatFewAreDue) {
  const auto few = join(kGreedyUid, 10);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(give(few), few.size());
  }
  EXPECT_EQ(deliveries_.owed(), 0U);
  EXPECT_TRUE(pay().empty());
}

TEST_F(DeliveriesTest, GivesAUserOnlySoManyInATurnAndAnotherUserBehindItAll) {
  std::vector<Registration*> due = join(kGreedyUid, 1024);
  const auto others = join(kOtherUid, 10);
  due.insert(due.end(), others.begin(), others.end());
  EXPECT_EQ(give(due), Deliveries::kTurn + others.size());
  EXPECT_EQ(deliveries_.owed(), 1024 - Deliveries::kTurn);
}

TEST_F(DeliveriesTest, PaysInTheOrderInWhichItWasDue) {
  const auto due = join(kGreedyUid, 1024);
  give(due);
  std::vector<Registration*> paid;
  while (deliveries_.owed() != 0) {
    const auto turn = pay();
    ASSERT_FALSE(turn.empty());
    EXPECT_LE(turn.size(), Deliveries::kTurn);
    paid.insert(paid.end(), turn.begin(), turn.end());
  }
  EXPECT_EQ(paid, std::vector<Registration*>(due.begin() + Deliveries::kTurn, due.end()));
}

TEST_F(DeliveriesTest, GivesNobodyWhatIsDueAheadOfWhatIsOwedToTheSameUser) {
  const auto many = join(kGreedyUid, Deliveries::kTurn + 2);
  const auto one = join(kGreedyUid, 1);
  give(many);
  ASSERT_EQ(deliveries_.owed(), 2U);
  EXPECT_EQ(give(one), 0U);
  EXPECT_EQ(pay(), (std::vector<Registration*>{many[Deliveries::kTurn], many[Deliveries::kTurn + 1],
                                               one[0]}));
}

TEST_F(DeliveriesTest, PaysSeveralToOneInRoundsWithOthers) {
  const auto due = join(kGreedyUid, 3);
  use_up(due);
  const std::uint64_t before = deliveries_.owed();
  ASSERT_GT(before, 6U);
  now_ += std::chrono::seconds(1);
  const auto paid = pay();
  ASSERT_EQ(paid.size(), Deliveries::kTurn);
  for (std::size_t i = 3; i < paid.size(); ++i) {
    EXPECT_EQ(paid[i], paid[i - 3]);
  }
  EXPECT_EQ(deliveries_.owed(), before - paid.size());
}

TEST_F(DeliveriesTest, GivesAUserNoMoreThanItsShareOfTheTimeAndPaysAllInTheEnd) {
  const auto due = join(kGreedyUid, 200);
  std::uint64_t given = 0;
  std::uint64_t all = 0;
  const Duration time = std::chrono::milliseconds(100);
  for (; now_ < kDeliveriesBegin + time; now_ += std::chrono::microseconds(100)) {
    given += give(due) + pay().size();
    all += due.size();
  }
  const auto most = static_cast<std::size_t>(time / Deliveries::kShare / Deliveries::kCost);
  EXPECT_LE(given, most + most_at_once(1) + 2) << "each half may be spent by less than one more";
  EXPECT_GE(given, most);
  EXPECT_EQ(given + deliveries_.owed(), all);
  constexpr int kFar = 100'000;
  for (int i = 0; i < kFar && deliveries_.owed() != 0; ++i) {
    now_ += Deliveries::kPause;
    given += pay().size();
  }
  EXPECT_EQ(given, all);
}

TEST_F(DeliveriesTest, GoesOnPayingWhileThereIsAllowanceAndPausesWhenItIsSpent) {
  const auto due = join(kGreedyUid, 1024);
  give(due);
  EXPECT_FALSE(pay().empty());
  EXPECT_TRUE(more_);
  EXPECT_EQ(deliveries_.next_turn(now_, more_), now_);
  use_up(due);
  now_ += 10 * Deliveries::kCost * Deliveries::kShare;
  EXPECT_FALSE(pay().empty()) << "a little has come back";
  EXPECT_FALSE(more_);
  EXPECT_EQ(deliveries_.next_turn(now_, more_), now_ + Deliveries::kPause);
}

TEST_F(DeliveriesTest, PausesTheLongerTheMoreASignalCosts) {
  const auto due = join(kGreedyUid, 1024);
  give(due);
  EXPECT_FALSE(pay().empty());
  const Duration spent = std::chrono::milliseconds(10);
  EXPECT_EQ(deliveries_.next_turn(now_ + spent, false), now_ + spent * Deliveries::kShare);
}

TEST_F(DeliveriesTest, GivesAnotherUserAtOnceWhileOneHasSpentAll) {
  const auto greedy = join(kGreedyUid, 256);
  const auto others = join(kOtherUid, 10);
  use_up(greedy);
  ASSERT_GT(deliveries_.owed(), 0U);
  EXPECT_EQ(give(others), others.size());
}

TEST_F(DeliveriesTest, PaysUsersInTurn) {
  const auto greedy = join(kGreedyUid, 1024);
  const auto others = join(kOtherUid, 1024);
  give(greedy);
  give(others);
  std::vector<uid_t> owners;
  for (int i = 0; i < 4; ++i) {
    const auto paid = pay();
    ASSERT_FALSE(paid.empty());
    owners.push_back(paid.front()->owner);
    EXPECT_EQ(paid.back()->owner, paid.front()->owner);
  }
  EXPECT_EQ(owners, (std::vector<uid_t>{kGreedyUid, kOtherUid, kGreedyUid, kOtherUid}));
}

TEST_F(DeliveriesTest, ForgetsWhatIsOwedToWhoLeaves) {
  const auto due = join(kGreedyUid, Deliveries::kTurn + 3);
  give(due);
  ASSERT_EQ(deliveries_.owed(), 3U);
  deliveries_.leave(*due[Deliveries::kTurn + 1]);
  EXPECT_EQ(deliveries_.owed(), 2U);
  EXPECT_EQ(pay(),
            (std::vector<Registration*>{due[Deliveries::kTurn], due[Deliveries::kTurn + 2]}));
}

TEST_F(DeliveriesTest, OwesNothingOnceAllHaveLeft) {
  const auto due = join(kGreedyUid, 2 * Deliveries::kTurn);
  give(due);
  for (Registration* const registration : due) {
    deliveries_.leave(*registration);
  }
  EXPECT_EQ(deliveries_.owed(), 0U);
  EXPECT_TRUE(pay().empty());
  const auto again = join(kGreedyUid, 1);
  EXPECT_EQ(give(again), 1U);
}

}  // namespace
}  // namespace evictd::notify
