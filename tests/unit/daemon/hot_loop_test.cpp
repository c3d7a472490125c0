// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot_loop.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>

#include "daemon/preparations.h"
#include "fake_node.h"

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

/// Moved by the test. Far ahead of the machine's own clock, so that no timer ever fires: a
/// turn of the loop is what the test asks for with a message.
class ManualClock final : public core::Clock {
 public:
  /// A microsecond passes with every look.
  [[nodiscard]] MonoTime now() const override {
    return MonoTime(Duration(now_ns_.fetch_add(1000)));
  }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  void advance(Duration by) { now_ns_ += by.count(); }

 private:
  mutable std::atomic<std::int64_t> now_ns_{std::int64_t{4'000'000'000} * 1'000'000'000};
};

/// Has nothing under way; pods without a target never get as far as it.
class IdleActuator final : public enforce::Actuator {
 public:
  Result<enforce::SignalReport> begin(enforce::KillTarget& /*target*/, Duration /*grace*/,
                                      MonoTime /*now*/) override {
    return fail(Errc::kNotFound, "idle");
  }
  void rehearse(const enforce::KillTarget& /*target*/) override {}
  Result<enforce::SignalReport> cut_grace(enforce::Ticket /*ticket*/, MonoTime /*deadline*/,
                                          MonoTime /*now*/) override {
    return fail(Errc::kNotFound, "idle");
  }
  [[nodiscard]] std::optional<MonoTime> next_deadline() const override { return std::nullopt; }
  void on_deadline(MonoTime /*now*/) override {}
  [[nodiscard]] int descriptor() const override { return -1; }
  void on_ready(MonoTime /*now*/) override {}
  void on_emptied(CgroupId /*cgroup*/, MonoTime /*now*/) override {}
  std::optional<enforce::Progress> take_progress() override { return std::nullopt; }
  [[nodiscard]] std::size_t in_flight(std::span<enforce::InFlight> /*out*/) const override {
    return 0;
  }
  void replace(enforce::KillTarget& /*newer*/) override {}
  [[nodiscard]] const enforce::ActuatorCounters& counters() const override { return counters_; }

 private:
  enforce::ActuatorCounters counters_;
};

/// The hot thread on a node of files, without the kernel side; the test is housekeeping.
class HotLoopWithoutBpf : public testing::Test {
 protected:
  HotLoopWithoutBpf() {
    hot_ = HotLoop::create({.probe = nullptr,
                            .clock = &clock_,
                            .inbox = &inbox_,
                            .outbox = &outbox_,
                            .actuator = &actuator_,
                            .dry_run_actuator = &dry_run_,
                            .counters = &counters_,
                            .readings = node_.readings(),
                            .config = config("100Mi")})
               .value();
  }
  void TearDown() override {
    stop_ = true;
    inbox_.wake_up.signal();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  static std::unique_ptr<HotConfig> config(const std::string& memory_available) {
    const auto parsed = config::parse(
        "pollInterval: 10s\nevictionHard:\n  memory.available: " + memory_available + "\n",
        "test.yaml");
    return hot_config_of(parsed.value()).value();
  }
  void start() {
    thread_ = std::thread([this] { EXPECT_TRUE(hot_->run(stop_)); });
  }
  void send(ToHot&& message) {
    ASSERT_TRUE(inbox_.queue.push(std::move(message)));
    inbox_.wake_up.signal();
  }
  /// Until the pass at the start has found the queue full.
  void wait_for_lost_messages() const {
    while (counters_.lost_messages.load() == 0) {
      std::this_thread::yield();
    }
  }
  /// Only that: what the hot thread says meanwhile is for the test to see.
  void drop_what_filled_the_queue() {
    for (std::size_t i = 0; i < kQueue; ++i) {
      ASSERT_TRUE(outbox_.queue.pop());
    }
  }
  /// The next message of kind T; others before it are dropped. The deadline is for failure only.
  template <typename T>
  std::optional<T> next() {
    const auto give_up = std::chrono::steady_clock::now() + seconds(60);
    while (std::chrono::steady_clock::now() < give_up) {
      while (std::optional<ToHousekeeping> message = outbox_.queue.pop()) {
        if (T* wanted = std::get_if<T>(&*message)) {
          return std::move(*wanted);
        }
        dropped_.push_back(std::move(*message));
      }
      pollfd ready{.fd = outbox_.wake_up.descriptor(), .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, 1000);
      outbox_.wake_up.consume();
    }
    ADD_FAILURE() << "the hot thread did not answer";
    return std::nullopt;
  }

  static constexpr std::size_t kQueue = 64;

  FakeNode node_;
  ManualClock clock_;
  Mailbox<ToHot> inbox_{kQueue, base::WakeUp::create().value()};
  Mailbox<ToHousekeeping> outbox_{kQueue, base::WakeUp::create().value()};
  IdleActuator actuator_;
  IdleActuator dry_run_;
  HotCounters counters_;
  std::atomic<bool> stop_{false};
  std::unique_ptr<HotLoop> hot_;
  /// What next() passed over: it may own what the hot thread still points to.
  std::deque<ToHousekeeping> dropped_;
  std::thread thread_;
};

TEST_F(HotLoopWithoutBpf, TheFirstPassKnowsThePodsThatWereHandedOver) {
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "a", 10_MiB)});
  send(PlacePod{.slot = 2, .pod = node_.pod(2, "b", 20_MiB)});
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->trigger, PassTrigger::kRequest);
  EXPECT_EQ(done->copy->decision.outcome, eviction::Outcome::kNothingMet);
  ASSERT_EQ(done->copy->pods.size(), 2U);
  EXPECT_EQ(done->copy->pods[0].pod->uid, "b");
  EXPECT_EQ(done->copy->pods[0].usage.usage, 20_MiB);
  EXPECT_EQ(done->copy->node.memory_total, 1000_MiB);
  EXPECT_FALSE(done->begun);
}

TEST_F(HotLoopWithoutBpf, RunsAPassOfTheRegularCadenceWhenTheIntervalIsOver) {
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(9));
  send(RunPass{});
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRequest);
  // A requested pass is a regular one to the kubelet's rules, so the interval begins anew.
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  EXPECT_EQ(next<PassDone>()->trigger, PassTrigger::kRegular);
}

TEST_F(HotLoopWithoutBpf, AVictimThatIsNotThereIsPassedOverForTheNextOneAtOnce) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "small", 10_MiB)});
  send(PlacePod{.slot = 2, .pod = node_.pod(2, "hog", 20_MiB)});
  start();
  const auto first = next<EvictionRefused>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->victim->uid, "hog");
  EXPECT_EQ(first->code, Errc::kNotFound);
  const auto second = next<EvictionRefused>();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->victim->uid, "small");
  ASSERT_TRUE(next<PassDone>());
  const auto last = next<PassDone>();
  ASSERT_TRUE(last && last->copy);
  EXPECT_EQ(last->copy->decision.outcome, eviction::Outcome::kAllProtected);
  EXPECT_FALSE(last->begun);
  EXPECT_EQ(counters_.not_begun.load(), 2U);
  EXPECT_EQ(counters_.evictions.load(), 0U);
}

TEST_F(HotLoopWithoutBpf, ARefusedVictimIsTriedAgainAtTheRegularCadence) {
  node_.set_memory(950_MiB);
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "hog", 20_MiB)});
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  // The refused pass and the one that follows it at once: only then is the next one 10 s away.
  ASSERT_TRUE(next<PassDone>());
  const auto passed_over = next<PassDone>();
  ASSERT_TRUE(passed_over && passed_over->copy);
  ASSERT_EQ(passed_over->copy->decision.outcome, eviction::Outcome::kAllProtected);
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  const auto again = next<EvictionRefused>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->victim->uid, "hog");
}

TEST_F(HotLoopWithoutBpf, GivesBackWhatWasInASlot) {
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "first", 10_MiB)});
  start();
  ASSERT_TRUE(next<PassDone>());
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "second", 10_MiB)});
  const auto replaced = next<RetirePod>();
  ASSERT_TRUE(replaced && replaced->pod);
  EXPECT_TRUE(replaced->replaced);
  EXPECT_EQ(replaced->pod->uid, "first");
  send(PlacePod{.slot = 1, .pod = nullptr});
  const auto emptied = next<RetirePod>();
  ASSERT_TRUE(emptied && emptied->pod);
  EXPECT_FALSE(emptied->replaced);
  EXPECT_EQ(emptied->pod->uid, "second");
}

TEST_F(HotLoopWithoutBpf, AnotherConfigurationIsInForceFromTheNextPassOn) {
  start();
  ASSERT_TRUE(next<PassDone>());
  send(UseConfig{config("950Mi")});
  ASSERT_TRUE(next<RetireConfig>());
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->trigger, PassTrigger::kRegular);
  EXPECT_EQ(done->copy->decision.outcome, eviction::Outcome::kNoCandidates);
}

TEST_F(HotLoopWithoutBpf, PassesThatEvictNobodyLeaveTwoBuffersForThoseThatDo) {
  start();
  std::deque<std::unique_ptr<PassCopy>> kept;
  for (int i = 0; i < 6; ++i) {
    auto done = next<PassDone>();
    ASSERT_TRUE(done && done->copy);
    kept.push_back(std::move(done->copy));
    send(RunPass{});
  }
  // Two answers in a row: between them the pass that was asked for has been run.
  for (int i = 0; i < 2; ++i) {
    send(PlacePod{.slot = 1, .pod = nullptr});
    ASSERT_TRUE(next<RetirePod>());
  }
  EXPECT_EQ(counters_.uncopied_passes.load(), 1U);
  send(LendPassCopy{std::move(kept.front())});
  send(RunPass{});
  const auto done = next<PassDone>();
  ASSERT_TRUE(done);
  EXPECT_NE(done->copy, nullptr);
}

TEST_F(HotLoopWithoutBpf, WhatAFullQueueDoesNotTakeIsCountedAndToldLater) {
  for (std::size_t i = 0; i < kQueue; ++i) {
    ASSERT_TRUE(outbox_.queue.push(StallNotice{}));
  }
  start();
  wait_for_lost_messages();
  drop_what_filled_the_queue();
  send(RunPass{});
  EXPECT_NE(next<PassDone>()->copy, nullptr);
  EXPECT_EQ(next<LossNotice>()->lost, 1U);
}

TEST_F(HotLoopWithoutBpf, APodIsNeverLostToAFullQueue) {
  for (std::size_t i = 0; i < kQueue; ++i) {
    ASSERT_TRUE(outbox_.queue.push(StallNotice{}));
  }
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "first", 10_MiB)});
  send(PlacePod{.slot = 1, .pod = node_.pod(1, "second", 10_MiB)});
  start();
  wait_for_lost_messages();
  drop_what_filled_the_queue();
  inbox_.wake_up.signal();
  const auto retired = next<RetirePod>();
  ASSERT_TRUE(retired && retired->pod);
  EXPECT_EQ(retired->pod->uid, "first");
}

}  // namespace
}  // namespace evictd::daemon
