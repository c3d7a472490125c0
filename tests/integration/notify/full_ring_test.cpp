// SPDX-License-Identifier: Apache-2.0
// The ring of the kernel side while nobody takes anything out of it.
#include <poll.h>
#include <unistd.h>

#include <vector>

#include "engine_ground.h"
#include "notify/ring_turn.h"

namespace evictd::test {
namespace {

constexpr std::uint64_t kOften = 16 * kMega;
constexpr std::uint64_t kOnce = 48 * kMega;
constexpr std::uint64_t kThereAndBack = 80 * kMega;

/// A ring of one page, which some tens of records fill.
class NotifyFullRing : public EngineGround {
 protected:
  [[nodiscard]] notify::LoadOptions options() const override {
    return {.max_rows = 64,
            .max_edges = 1024,
            .ring_bytes = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE))};
  }
  /// Until something did not fit any more.
  void fill(TestChild& child) {
    constexpr int kMost = 1000;
    for (int i = 0; i < kMost && kernel_->stats().dropped == 0; ++i) {
      ASSERT_TRUE(child.run(Work::kTouch4K, 2 * kOften));
      ASSERT_TRUE(child.run(Work::kRelease));
    }
    ASSERT_GT(kernel_->stats().dropped, 0U);
  }
  void nobody_reads() { thread_.reset(); }
  void somebody_reads() { thread_ = std::move(notify::EngineThread::start(*engine_).value()); }
  /// What the Engine says of a registration comes to be `side`; the limit is only there so that a
  /// failing test ends.
  bool comes_to_be(notify::RegistrationId id, evictd_notify_side side) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (engine_->query(id)->side != side && std::chrono::steady_clock::now() < give_up) {
      pollfd ready{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, 100);
    }
    return engine_->query(id)->side == side;
  }

  TestCgroup quiet_ = TestCgroup::create();
};

TEST_F(NotifyFullRing, TellsEverybodyOfAValueOnceWhenMovesOfItWereLost) {
  CountedEventfd often;
  CountedEventfd once;
  CountedEventfd there_and_back;
  CountedEventfd never;
  CountedEventfd elsewhere;
  ASSERT_TRUE(listen(often, {.threshold = kOften}));
  const auto crossed = listen(once, {.threshold = kOnce});
  const auto back = listen(there_and_back, {.threshold = kThereAndBack});
  ASSERT_TRUE(crossed && back);
  ASSERT_TRUE(listen(never, {.threshold = 1000 * kMega}));
  ASSERT_TRUE(listen(elsewhere, {.threshold = kOften}, quiet_.memory_fd()));
  nobody_reads();
  TestChild child(cgroup_);
  ASSERT_NO_FATAL_FAILURE(fill(child));
  TestChild more(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, kOnce + 8 * kMega));
  ASSERT_TRUE(more.run(Work::kTouch4K, kThereAndBack - kOnce + 8 * kMega));
  ASSERT_TRUE(more.run(Work::kRelease));
  const std::uint64_t records = kernel_->stats().records;
  const std::uint64_t lost = kernel_->stats().dropped;
  somebody_reads();

  EXPECT_TRUE(once.reaches(1));
  EXPECT_TRUE(there_and_back.reaches(1));
  EXPECT_TRUE(never.reaches(1)) << "it might have been crossed, for all that is known";
  EXPECT_TRUE(comes_to_be(crossed->id, EVICTD_NOTIFY_ABOVE));
  EXPECT_TRUE(comes_to_be(back->id, EVICTD_NOTIFY_BELOW));
  EXPECT_EQ(elsewhere.count(), 0U) << "nothing of its value was lost";
  // What was in the ring is told one by one, and no more than there was.
  EXPECT_GT(often.count(), 10U);
  EXPECT_LE(often.count(), records);
  EXPECT_LE(once.count(), 3U) << "once, and a pair that the counter may make by itself";
  const notify::BackendCounters counters = engine_->counters().backend;
  EXPECT_GE(counters.resyncs, 1U);
  EXPECT_GE(counters.dropped, lost);

  // From now on each crossing is told again.
  const std::uint64_t told = once.count();
  ASSERT_TRUE(child.run(Work::kRelease));
  EXPECT_GT(once.crossed(told), 0U);
  EXPECT_EQ(never.count(), 1U);
}

TEST_F(NotifyFullRing, TellsOfARemovalThatItHadNoPlaceFor) {
  CountedEventfd low;
  CountedEventfd high;
  ASSERT_TRUE(listen(low, {.threshold = kOften}));
  ASSERT_TRUE(listen(high, {.threshold = 1000 * kMega}));
  nobody_reads();
  {
    TestChild child(cgroup_);
    ASSERT_NO_FATAL_FAILURE(fill(child));
  }
  cgroup_.remove();
  somebody_reads();
  EXPECT_TRUE(high.reaches(1));
  EXPECT_TRUE(low.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 0U);
  EXPECT_EQ(engine_->take_ended().size(), 2U);
}

TEST_F(NotifyFullRing, TakesAnotherListenerAllTheSame) {
  CountedEventfd first;
  ASSERT_TRUE(listen(first, {.threshold = kOften}));
  nobody_reads();
  TestChild child(cgroup_);
  ASSERT_NO_FATAL_FAILURE(fill(child));
  CountedEventfd second;
  const auto listening = listen(second, {.threshold = kOnce});
  ASSERT_TRUE(listening) << listening.error().message();
  EXPECT_EQ(second.count(), 0U) << "nothing was lost since it registered";
  somebody_reads();
  ASSERT_TRUE(child.run(Work::kTouch4K, kOnce + 8 * kMega));
  EXPECT_TRUE(second.reaches(1));
}

/// The same with the only hook that sends hints: the others see each crossing themselves.
class NotifyFullRingOfHints : public NotifyFullRing {
 protected:
  [[nodiscard]] notify::LoadOptions options() const override {
    notify::LoadOptions options = NotifyFullRing::options();
    options.pin = "tp_btf";
    return options;
  }
};

TEST_F(NotifyFullRingOfHints, CountsTheHintsThatItHadNoPlaceFor) {
  CountedEventfd often;
  ASSERT_TRUE(listen(often, {.threshold = kOften}));
  // Wherever the value is below the last of them, the next one is a page away, which takes even a
  // slow machine less than the time for which a hint is sent.
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<CountedEventfd> once(64);
  for (std::size_t i = 0; i < once.size(); ++i) {
    ASSERT_TRUE(listen(once[i], {.threshold = kOnce + i * page}));
  }
  nobody_reads();
  TestChild child(cgroup_);
  ASSERT_NO_FATAL_FAILURE(fill(child));
  // Not each time: it may be without a CPU when its speed is looked at.
  for (int i = 0; i < 100 && kernel_->stats().lost_hints == 0; ++i) {
    ASSERT_TRUE(child.run(Work::kTouch4K, kThereAndBack));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
  const std::uint64_t lost = kernel_->stats().lost_hints;
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(engine_->counters().backend.lost_hints, 0U) << "nobody has read";
  somebody_reads();
  EXPECT_TRUE(once.front().reaches(1));
  EXPECT_GE(engine_->counters().backend.lost_hints, lost);
}

/// Counts what it hears.
class CountingSink final : public notify::BackendSink {
 public:
  void on_move(const notify::RowMove& /*move*/) override { ++heard; }
  void on_begin(const notify::RowBegin& /*begin*/) override { ++heard; }
  void on_removed(CgroupId /*cgroup*/, std::uint32_t /*signals*/) override { ++heard; }
  void on_approach(const notify::RowApproach& /*approach*/) override { ++heard; }

  int heard = 0;
};

/// A ring of the usual size, in which there is more than is taken at a time.
class NotifyLongRing : public EngineGround {};

TEST_F(NotifyLongRing, IsTakenInTurnsAndStaysReadable) {
  constexpr std::uint64_t kStep = 4 * kMega;
  constexpr std::uint64_t kSteps = 16;
  std::vector<CountedEventfd> eventfds(kSteps);
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(listen(eventfds[i], {.threshold = (i + 1) * kStep}));
  }
  thread_.reset();
  constexpr std::uint64_t kTurn = notify::RingTurn::kRecords;
  const std::uint64_t before = kernel_->stats().records;
  constexpr int kMost = 1000;
  TestChild child(cgroup_);
  for (int i = 0; i < kMost && kernel_->stats().records - before <= 2 * kTurn; ++i) {
    ASSERT_TRUE(child.run(Work::kTouch4K, (kSteps + 1) * kStep));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
  ASSERT_GT(kernel_->stats().records - before, 2 * kTurn);
  ASSERT_EQ(kernel_->stats().dropped, 0U);

  CountingSink sink;
  kernel_->drain(sink);
  EXPECT_LE(sink.heard, notify::RingTurn::kRecords);
  pollfd ready{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 1);
  for (std::uint64_t taken = kTurn; taken < kernel_->stats().records - before; taken += kTurn) {
    kernel_->drain(sink);
  }
  EXPECT_GT(sink.heard, notify::RingTurn::kRecords);
}

}  // namespace
}  // namespace evictd::test
