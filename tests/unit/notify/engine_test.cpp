// SPDX-License-Identifier: Apache-2.0
// An Engine before a backend that says what a test wants.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "engine_ground.h"
#include "lingering_end.h"
#include "notify/engine.h"
#include "saying_backend.h"

namespace evictd::notify {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::EngineTest;
using test::kNoFiles;
using test::SayingBackend;

SayingBackend::Saying approach(Duration away, int cpu = -1) {
  return [away, cpu](BackendSink& sink) { sink.on_approach({.away = away, .cpu = cpu}); };
}

void cross(BackendSink& sink) {
  sink.on_move({.row = 0, .position = 1, .gap = false});
}

class EngineLooksOn : public EngineTest {};

TEST_F(EngineTest, WatchesAThresholdOfUsageInWholePages) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (listen({.threshold = 5 * page - 1, .hysteresis = 3 * page}) == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  EXPECT_EQ(backend_->watched, (std::vector<std::uint64_t>{page, 4 * page}));
}

TEST_F(EngineLooksOn, ForHalfAsLongAgainAsTheEdgeIsAway) {
  backend_->sayings = {approach(milliseconds(1))};
  const MonoTime before = clock_.now();
  engine_->drain();
  EXPECT_GE(clock_.now() - before, microseconds(1500));
  EXPECT_LE(clock_.now() - before, microseconds(1510));
  EXPECT_EQ(engine_->counters().stand_bys, 1U);
  engine_->drain();
  EXPECT_EQ(engine_->counters().stand_bys, 1U) << "it is over";
}

TEST_F(EngineLooksOn, NotWhereItWouldTakeTheCpuFromWhoPassesTheEdge) {
  make(Engine::Waiting::kAsleep);
  backend_->sayings = {approach(milliseconds(1))};
  engine_->drain();
  EXPECT_EQ(backend_->drains, 1);
}

TEST_F(EngineLooksOn, NotOnTheCpuOfWhoPassesTheEdge) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  const int here = ::sched_getcpu();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(here), &only);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(only), &only), 0);
  backend_->sayings = {approach(milliseconds(1), here)};
  engine_->drain();
  EXPECT_EQ(backend_->drains, 1);
  backend_->sayings = {approach(milliseconds(1), here + 1)};
  engine_->drain();
  EXPECT_GT(backend_->drains, 2);
  ::sched_setaffinity(0, sizeof(before), &before);
}

TEST_F(EngineLooksOn, NotWithoutAHint) {
  engine_->drain();
  EXPECT_EQ(backend_->drains, 1);
  EXPECT_EQ(engine_->counters().stand_bys, 0U);
}

TEST_F(EngineLooksOn, UntilItHasToldSomebody) {
  if (listen() == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  backend_->sayings = {approach(milliseconds(1)), [](BackendSink&) {}, cross};
  engine_->drain();
  EXPECT_EQ(engine_->counters().deliveries, 1U);
  EXPECT_EQ(backend_->drains, 3) << "what comes after the crossing is left to the next drain";
}

TEST_F(EngineLooksOn, NotAfterAHintThatCameWithItsCrossing) {
  if (listen() == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  backend_->sayings = {[](BackendSink& sink) {
    sink.on_approach({.away = milliseconds(1), .cpu = -1});
    cross(sink);
  }};
  engine_->drain();
  EXPECT_EQ(engine_->counters().deliveries, 1U);
  EXPECT_EQ(backend_->drains, 1);
}

TEST_F(EngineLooksOn, LongerAfterASecondHint) {
  backend_->sayings = {approach(microseconds(500)), [](BackendSink&) {}, approach(milliseconds(1))};
  const MonoTime before = clock_.now();
  engine_->drain();
  EXPECT_GE(clock_.now() - before, microseconds(1500));
  EXPECT_EQ(engine_->counters().stand_bys, 1U);
}

TEST_F(EngineLooksOn, NoLongerThanItsAllowance) {
  for (int i = 0; i < 100; ++i) {
    backend_->sayings = {approach(milliseconds(1))};
    engine_->drain();
  }
  EXPECT_LE(clock_.now() - test::kHandBegin, core::StandBy::kMostSaved + milliseconds(1));
}

TEST_F(EngineTest, EndsWhatIsOfTheControllerThatWasTakenAwayAndNothingElse) {
  const RegistrationId memory = listen({.threshold = 4096});
  if (memory == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  const RegistrationId tasks = listen({.signal = EVICTD_NOTIFY_PIDS, .threshold = 10});
  const auto take_away = [this](evictd_notify_signal signal) {
    backend_->sayings = {[this, signal](BackendSink& sink) {
      sink.on_removed(backend_->cgroup, evictd_notify_signals_beside(signal));
    }};
    engine_->drain();
    return engine_->take_ended();
  };
  EXPECT_EQ(take_away(EVICTD_NOTIFY_WORKING_SET), std::vector{memory});
  EXPECT_EQ(backend_->unwatched, std::vector<RowId>{0});
  ASSERT_TRUE(engine_->query(tasks));
  EXPECT_EQ(engine_->query(tasks)->deliveries, 0U);
  EXPECT_EQ(take_away(EVICTD_NOTIFY_PIDS), std::vector{tasks});
}

class EngineKeepsNoRow : public EngineTest {
 protected:
  /// How many listeners the edges of the last watch() are of: each has one.
  [[nodiscard]] std::size_t watched_for() const { return backend_->watched.size(); }
};

TEST_F(EngineKeepsNoRow, ForOneWhoEndedWhileAnotherRowCouldNotBeHad) {
  const RegistrationId first = listen({.threshold = 4096});
  const RegistrationId second = listen({.threshold = 8192});
  if (first == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  backend_->refuses_with = EMFILE;
  EXPECT_EQ(engine_->end(std::array{first}), 1U);
  backend_->refuses_with = 0;
  const int watches = backend_->watches;
  EXPECT_EQ(engine_->end(std::array{second}), 1U);
  EXPECT_EQ(backend_->watches, watches) << "for nobody";
  EXPECT_EQ(backend_->unwatched, std::vector<RowId>{1}) << "the row that the second one began";
}

TEST_F(EngineKeepsNoRow, ForOneWhoEndedWhenAnotherComes) {
  const RegistrationId first = listen({.threshold = 4096});
  if (first == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  listen({.threshold = 8192});
  backend_->refuses_with = ENOSPC;
  engine_->end(std::array{first});
  backend_->refuses_with = 0;
  listen({.threshold = 12288});
  EXPECT_EQ(watched_for(), 2U);
}

TEST_F(EngineKeepsNoRow, ThatNeverBeginsForWhoWasTurnedAway) {
  if (!test::any_cgroup()) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  backend_->begins = false;
  backend_->drain_time = std::chrono::seconds(3);
  const Result<Listening> listening = try_to_listen({.threshold = 4096});
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().sys_errno, ETIMEDOUT);
  EXPECT_EQ(backend_->unwatched, std::vector<RowId>{0});
}

TEST_F(EngineKeepsNoRow, ThatHasNotBegunWhenTheLastOneEnds) {
  const RegistrationId first = listen({.threshold = 4096});
  if (first == 0) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  backend_->begins = false;
  backend_->drain_time = std::chrono::seconds(3);
  EXPECT_FALSE(try_to_listen({.threshold = 8192}));
  engine_->end(std::array{first});
  EXPECT_EQ(backend_->unwatched, (std::vector<RowId>{0, 1}));
}

/// Sixteen rows: two of each user but root, twelve of all of them together.
class EngineWithFewRows : public EngineTest {
 protected:
  static constexpr uid_t kFirstUser = 1000;

  void SetUp() override {
    make(Engine::Waiting::kAwake, 16);
    if (!test::any_cgroup()) {
      GTEST_SKIP() << "no cgroup is mounted";
    }
  }
  /// 0 and `last_`, or the errno.
  int listen_as(uid_t owner, std::uint64_t cgroup, std::uint64_t threshold = 4096) {
    backend_->cgroup = {.hierarchy = 0, .id = cgroup};
    const Result<Listening> listening =
        engine_->listen({.terms = {.threshold = threshold},
                         .eventfd = base::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                         .directory = test::any_cgroup(),
                         .pid = 0,
                         .number = -1,
                         .owner = owner});
    last_ = listening ? listening->id : 0;
    return listening ? 0 : listening.error().sys_errno;
  }
  /// As many users as wish fill as many rows as they may, each a cgroup of its own.
  void fill_as_others() {
    for (uid_t user = kFirstUser; user < kFirstUser + 8; ++user) {
      for (int i = 0; i < 3; ++i) {
        listen_as(user, next_cgroup_++);
      }
    }
  }

  RegistrationId last_ = 0;
  std::uint64_t next_cgroup_ = 100;
};

TEST_F(EngineWithFewRows, KeepsSomeForRootWhateverOthersWatch) {
  ASSERT_EQ(listen_as(0, 1), 0);
  fill_as_others();
  EXPECT_EQ(listen_as(0, 2), 0);
  EXPECT_EQ(listen_as(0, 1, 8192), 0) << "a second threshold, for which a row is exchanged";
  EXPECT_EQ(listen_as(0, 3), 0);
}

TEST_F(EngineWithFewRows, GivesEachUserAShareAndAllButRootOne) {
  EXPECT_EQ(listen_as(kFirstUser, 1), 0);
  EXPECT_EQ(listen_as(kFirstUser, 2), 0);
  EXPECT_EQ(listen_as(kFirstUser, 3), EDQUOT);
  EXPECT_EQ(listen_as(kFirstUser, 1, 8192), 0) << "no other row";
  fill_as_others();
  EXPECT_EQ(listen_as(kFirstUser + 100, 4), ENOSPC);
  EXPECT_EQ(listen_as(kFirstUser + 100, 1), 0) << "a row that others have";
}

TEST_F(EngineWithFewRows, TakesThemBackWhenRegistrationsEnd) {
  ASSERT_EQ(listen_as(kFirstUser, 1), 0);
  const RegistrationId first = last_;
  ASSERT_EQ(listen_as(kFirstUser, 2), 0);
  EXPECT_EQ(listen_as(kFirstUser, 3), EDQUOT);
  engine_->end(std::array{first});
  EXPECT_EQ(listen_as(kFirstUser, 3), 0);
  backend_->sayings = {
      [this](BackendSink& sink) { sink.on_removed(backend_->cgroup, EVICTD_NOTIFY_ALL_SIGNALS); }};
  engine_->drain();
  EXPECT_EQ(listen_as(kFirstUser, 4), 0);
}

TEST_F(EngineWithFewRows, TakesNoneForWhatCouldNotBeWatched) {
  backend_->refuses_with = EMFILE;
  for (std::uint64_t cgroup = 1; cgroup < 5; ++cgroup) {
    EXPECT_EQ(listen_as(kFirstUser, cgroup), EMFILE);
  }
  backend_->refuses_with = 0;
  EXPECT_EQ(listen_as(kFirstUser, 1), 0);
}

TEST_F(EngineTest, FollowsTheNextHintAfterAPreemptedReading) {
  if (!listen_behind(1)) {
    GTEST_SKIP() << kNoFiles;
  }
  for (const Duration pause : {Duration(std::chrono::seconds(10)), Duration{0}}) {
    clock_.pause = pause;
    backend_->sayings = {cross};
    EXPECT_EQ(readings(), 1);
  }
}

TEST_F(EngineTest, FollowsHintsOfAValueAfterAnotherSpentSharedBudget) {
  if (!listen_behind(2)) {
    GTEST_SKIP() << kNoFiles;
  }
  const auto hint = [](RowId row) {
    return [row](BackendSink& sink) { sink.on_move({.row = row, .position = 1, .gap = false}); };
  };
  const auto follows = [&](RowId row) {
    backend_->sayings = {hint(row)};
    clock_.costs = {milliseconds(2)};
    return readings() == 1;
  };
  // More than there can be any allowance for.
  constexpr int kFar = 1000;
  int followed = 0;
  while (followed < kFar && follows(0)) {
    ++followed;
  }
  ASSERT_LT(followed, kFar) << "nothing is spent";
  EXPECT_TRUE(follows(1));
}

/// A user whose files are not closed at present, because one before them is not.
class EngineBesideAHangingUser : public EngineTest {
 protected:
  static constexpr uid_t kUser = 1000;

  void SetUp() override {
    EngineTest::SetUp();
    if (!test::any_cgroup()) {
      GTEST_SKIP() << "no cgroup is mounted";
    }
    disposer_->dispose(kUser, end_.take());
    engine_->set_disposer(disposer_);
  }
  Result<Listening> listen_as_user() {
    return engine_->listen({.terms = {.threshold = 4096},
                            .eventfd = base::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                            .directory = test::any_cgroup(),
                            .pid = 0,
                            .number = -1,
                            .owner = kUser});
  }
  [[nodiscard]] std::size_t unclosed() const {
    return disposer_->pending(Disposer::Kind::kRegistration, kUser);
  }

  test::LingeringEnd end_;
  std::shared_ptr<Disposer> disposer_ = std::make_shared<Disposer>();
};

TEST_F(EngineBesideAHangingUser, LeavesTheEventfdOfARegistrationThatIsEndedToTheDisposer) {
  const Result<Listening> listening = listen_as_user();
  ASSERT_TRUE(listening) << listening.error().message();
  ASSERT_EQ(unclosed(), 0U);
  engine_->end(std::array{listening->id});
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(EngineBesideAHangingUser, LeavesTheEventfdsOfARemovedCgroupToTheDisposer) {
  ASSERT_TRUE(listen_as_user());
  ASSERT_TRUE(listen_as_user());
  backend_->sayings = {
      [this](BackendSink& sink) { sink.on_removed(backend_->cgroup, EVICTD_NOTIFY_ALL_SIGNALS); }};
  engine_->drain();
  EXPECT_EQ(unclosed(), 2U);
}

TEST_F(EngineBesideAHangingUser, LeavesTheEventfdOfARefusedRequestToTheDisposer) {
  backend_->refuses_with = ENOSPC;
  ASSERT_FALSE(listen_as_user());
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(EngineBesideAHangingUser, LeavesAllEventfdsToTheDisposerAtItsEnd) {
  ASSERT_TRUE(listen_as_user());
  engine_.reset();
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(EngineTest, ClosesAnEndedRegistrationsEventfdIfNoOtherDoes) {
  if (!test::any_cgroup()) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const int number = eventfd.get();
  const Result<Listening> listening = engine_->listen({.terms = {.threshold = 4096},
                                                       .eventfd = std::move(eventfd),
                                                       .directory = test::any_cgroup()});
  ASSERT_TRUE(listening) << listening.error().message();
  engine_->end(std::array{listening->id});
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace evictd::notify
