// SPDX-License-Identifier: Apache-2.0
// One user's crossings beside another's, before a backend that has records as a ring has them.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "notify/engine.h"
#include "saying_backend.h"

namespace evictd::notify {
namespace {

constexpr uid_t kCrossingUser = 1000;
constexpr uid_t kStandingByUser = 1001;
constexpr CgroupId kCrossingCgroup{.hierarchy = 0, .id = 1};
constexpr CgroupId kQuietCgroup{.hierarchy = 0, .id = 2};
constexpr std::size_t kManyListeners = 1024;
/// Of the machine's first second, so that timers fire at once.
constexpr MonoTime kFirstSecond{std::chrono::seconds(1)};

/// Lets the process have as many descriptors as it may.
void raise_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t taken_from(const base::Fd& eventfd) {
  eventfd_t count = 0;
  return ::eventfd_read(eventfd.get(), &count) == 0 ? count : 0;
}

class EngineOfTwoUsers : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::any_cgroup()) {
      GTEST_SKIP() << "no cgroup is mounted";
    }
    raise_descriptors();
    auto backend = std::make_unique<test::SayingBackend>(clock_);
    backend_ = backend.get();
    auto engine = Engine::create(std::move(backend), clock_, Engine::Waiting::kAsleep);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    backend_->cgroup = kCrossingCgroup;
    for (std::size_t i = 0; i < kManyListeners; ++i) {
      ids_.push_back(listen(kCrossingUser, crossing_));
    }
    crossing_row_ = last_row();
    backend_->cgroup = kQuietCgroup;
    ASSERT_NE(listen(kStandingByUser, standing_by_), 0U);
    quiet_row_ = last_row();
    ASSERT_NE(*std::min_element(ids_.begin(), ids_.end()), 0U);
  }
  RegistrationId listen(uid_t owner, const base::Fd& eventfd) {
    const Result<Listening> listening = engine_->listen({.terms = {.threshold = 4096},
                                                         .eventfd = base::Fd(::dup(eventfd.get())),
                                                         .directory = test::any_cgroup(),
                                                         .pid = 0,
                                                         .number = -1,
                                                         .owner = owner});
    EXPECT_TRUE(listening) << listening.error().message();
    return listening ? listening->id : 0;
  }
  [[nodiscard]] RowId last_row() const { return static_cast<RowId>(backend_->watches - 1); }

  /// The value of `row` crosses the threshold so many times, and then that of the other cgroup.
  void cross(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      records_.push_back({.row = crossing_row_, .position = i % 2 == 0 ? 1U : 0U, .gap = false});
    }
    records_.push_back({.row = quiet_row_, .position = 1, .gap = false});
  }
  /// Has the backend say what it can of its records, as a ring does, and the engine tell of it.
  void drain() {
    backend_->sayings.emplace_back([this](BackendSink& sink) {
      while (!records_.empty()) {
        sink.on_move(records_.front());
        records_.pop_front();
        if (sink.has_enough()) {
          return;
        }
      }
    });
    engine_->drain();
    backend_->sayings.clear();
  }
  /// Until everything is told and given.
  void drain_all() {
    constexpr int kFar = 1'000'000;
    constexpr int kFarMs = 60'000;
    for (int i = 0; i < kFar && (!records_.empty() || engine_->counters().owed != 0); ++i) {
      drain();
      clock_.advance(std::chrono::milliseconds(1));
      // For the timer's interrupt: otherwise the clock would be advanced past that of the machine.
      pollfd paying{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
      if (engine_->counters().owed != 0) {
        ASSERT_EQ(::poll(&paying, 1, kFarMs), 1) << "it forgets that it owes";
      }
    }
    ASSERT_EQ(engine_->counters().owed, 0U) << "it goes on for ever";
  }
  [[nodiscard]] std::uint64_t delivered(RegistrationId id) const {
    const auto listening = engine_->query(id);
    return listening ? listening->deliveries : 0;
  }

  test::HandClock clock_{kFirstSecond};
  std::unique_ptr<Engine> engine_;
  test::SayingBackend* backend_ = nullptr;
  std::deque<RowMove> records_;
  base::Fd crossing_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  base::Fd standing_by_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::vector<RegistrationId> ids_;
  RowId crossing_row_ = 0;
  RowId quiet_row_ = 0;
};

TEST_F(EngineOfTwoUsers, TellsOneAfterABoundedNumberOfSignalsToTheOther) {
  constexpr std::size_t kCrossings = 256;
  cross(kCrossings);
  while (taken_from(standing_by_) == 0) {
    ASSERT_FALSE(records_.empty()) << "it was told of and nobody was signalled";
    drain();
  }
  const std::uint64_t before_it = taken_from(crossing_);
  constexpr auto kMostOfBothHalves =
      static_cast<std::uint64_t>(2 * Deliveries::kMostSaved / Deliveries::kCost);
  EXPECT_LE(before_it, kMostOfBothHalves);
  EXPECT_EQ(before_it + engine_->counters().owed, kCrossings * kManyListeners);
}

TEST_F(EngineOfTwoUsers, TakesNoMoreRecordsAtATimeThanWakeEnough) {
  cross(8);
  drain();
  EXPECT_EQ(records_.size(), 8U) << "one of nine is taken";
}

TEST_F(EngineOfTwoUsers, OwesNobodyAnythingInTheEnd) {
  constexpr std::size_t kCrossings = 256;
  cross(kCrossings);
  ASSERT_NO_FATAL_FAILURE(drain_all());
  EXPECT_EQ(taken_from(crossing_), kCrossings * kManyListeners);
  EXPECT_EQ(taken_from(standing_by_), 1U);
  for (const RegistrationId id : ids_) {
    ASSERT_EQ(delivered(id), kCrossings) << id;
  }
}

TEST_F(EngineOfTwoUsers, ForgetsWhatIsOwedToWhoIsUnregisteredAndPaysTheOthers) {
  constexpr std::size_t kCrossings = 8;
  cross(kCrossings);
  while (!records_.empty()) {
    drain();
  }
  ASSERT_GT(engine_->counters().owed, 0U);
  const std::vector<RegistrationId> ended(ids_.begin(), ids_.begin() + kManyListeners / 2);
  std::uint64_t had = 0;
  for (const RegistrationId id : ended) {
    had += delivered(id);
  }
  EXPECT_EQ(engine_->end(ended), ended.size());
  ASSERT_NO_FATAL_FAILURE(drain_all());
  for (std::size_t i = ended.size(); i < ids_.size(); ++i) {
    ASSERT_EQ(delivered(ids_[i]), kCrossings) << i;
  }
  EXPECT_EQ(taken_from(crossing_), had + kCrossings * (ids_.size() - ended.size()));
}

TEST_F(EngineOfTwoUsers, RemovedCgroupsRegistrationsEndAfterTheirDeliveries) {
  constexpr std::size_t kCrossings = 8;
  cross(kCrossings);
  while (!records_.empty()) {
    drain();
  }
  backend_->sayings = {[](BackendSink& sink) {
    sink.on_removed(kCrossingCgroup, EVICTD_NOTIFY_ALL_SIGNALS);
    sink.on_removed(kCrossingCgroup, EVICTD_NOTIFY_ALL_SIGNALS);
  }};
  engine_->drain();
  std::vector<RegistrationId> ended = engine_->take_ended();
  EXPECT_LT(ended.size(), kManyListeners) << "some are still owed something";
  EXPECT_EQ(engine_->counters().removed, kManyListeners);
  ASSERT_NO_FATAL_FAILURE(drain_all());
  const std::vector<RegistrationId> later = engine_->take_ended();
  ended.insert(ended.end(), later.begin(), later.end());
  std::sort(ended.begin(), ended.end());
  EXPECT_EQ(ended, ids_);
  EXPECT_EQ(taken_from(crossing_), (kCrossings + 1) * kManyListeners) << "and one for the removal";
  EXPECT_EQ(engine_->counters().registrations, 1U);
}

TEST_F(EngineOfTwoUsers, EndsAtOnceWhoseCgroupIsRemovedAndNothingIsOwed) {
  backend_->sayings = {
      [](BackendSink& sink) { sink.on_removed(kQuietCgroup, EVICTD_NOTIFY_ALL_SIGNALS); }};
  engine_->drain();
  EXPECT_EQ(engine_->take_ended().size(), 1U);
  EXPECT_EQ(taken_from(standing_by_), 1U);
}

TEST_F(EngineOfTwoUsers, EndsWhileSomethingIsOwed) {
  cross(8);
  drain();
  ASSERT_GT(engine_->counters().owed, 0U);
  engine_.reset();
  EXPECT_LT(taken_from(crossing_), 8 * kManyListeners);
}

}  // namespace
}  // namespace evictd::notify
