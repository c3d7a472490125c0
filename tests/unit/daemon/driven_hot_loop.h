// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/hot/hot_loop.h"
#include "daemon/preparations.h"
#include "unit/daemon/fake_actuator.h"
#include "unit/daemon/fake_backstop.h"
#include "unit/daemon/fake_event_ring.h"
#include "unit/daemon/fake_filesystems.h"
#include "unit/daemon/fake_kernel_side.h"
#include "unit/daemon/fake_node.h"

namespace evictd::daemon {

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

/// The hot thread on a node of files, as a rule without the kernel side; the test is housekeeping,
/// and what an actuator does is written down.
class DrivenHotLoop : public testing::Test {
 protected:
  /// Whether the kernel side, had there been one, would tell of pods that come, fill and empty.
  enum class PodEvents { kTold, kNone };

  /// What the node has that most tests do without.
  enum class Besides {
    kNothing,
    kDisks,
    kHints,       ///< Events, and a thread that may stand by for them.
    kKernelSide,  ///< Every hook, events, and a table in which nothing was read yet.
    kBackstop,    ///< The same with hints, and what can kill by a plan.
  };

  explicit DrivenHotLoop(const std::string& yaml = hard("100Mi"),
                         PodEvents events = PodEvents::kTold, Besides besides = Besides::kNothing) {
    const bool disks = besides == Besides::kDisks;
    const bool backstop = besides == Besides::kBackstop;
    const bool hints = besides == Besides::kHints || backstop;
    const bool kernel_side = besides == Besides::kKernelSide || backstop;
    Readings::Options readings = node_.readings();
    readings.table = kernel_side ? &table_ : nullptr;
    readings.filesystems = disks ? &filesystems_ : nullptr;
    readings.guard_terms = &guard_terms_;
    hot_ = HotLoop::create({.ladder = kernel_side ? &ladder_ : nullptr,
                            .events = hints || kernel_side ? &ring_ : nullptr,
                            .backstop = backstop ? &backstop_ : nullptr,
                            .clock = &clock_,
                            .inbox = &inbox_,
                            .outbox = &outbox_,
                            .actuator = &actuator_,
                            .dry_run_actuator = &dry_run_,
                            .counters = &counters_,
                            .readings = std::move(readings),
                            .config = config(yaml),
                            .filesystems = disks ? &filesystems_ : nullptr,
                            .events_tell_pods = events == PodEvents::kTold,
                            .intent_clock = kIntentClock,
                            .may_stand_by = hints ? &may_stand_by_ : nullptr})
               .value();
  }
  void TearDown() override {
    stop_ = true;
    inbox_.wake_up.signal();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  static std::string hard(const std::string& memory_available) {
    return "pollInterval: 10s\nevictionHard:\n  memory.available: " + memory_available + "\n";
  }
  base::Loan<HotConfig> config(const std::string& yaml) {
    const auto parsed = config::parse(yaml, "test.yaml");
    return loans_.lend(hot_config_of(parsed.value(), {}).value());
  }
  /// Lends `object`; what it has become goes to `returned` once the hot thread has dropped it.
  template <typename T>
  base::Loan<T> lend(T object, std::vector<T>& returned) {
    return loans_.lend<T>(std::make_unique<T>(std::move(object)),
                          [&returned](T& one) { returned.push_back(std::move(one)); });
  }
  /// Until `returned` has as many.
  template <typename T>
  void await_returned(const std::vector<T>& returned, std::size_t count) {
    while (returned.size() < count) {
      std::this_thread::yield();
      loans_.collect();
      loans_.destroy_collected();
    }
  }
  void start() {
    thread_ = std::thread([this] { EXPECT_TRUE(hot_->run(stop_)); });
  }
  void send(ToHot&& message) {
    ASSERT_TRUE(inbox_.queue.push(std::move(message)));
    inbox_.wake_up.signal();
  }
  /// Whether next() has passed over a message of kind T.
  template <typename T>
  [[nodiscard]] bool dropped() const {
    return std::any_of(dropped_.begin(), dropped_.end(),
                       [](const ToHousekeeping& one) { return std::holds_alternative<T>(one); });
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
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
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

  /// The next work of kind T that a pass waits for; work of other kinds before it is dropped.
  template <typename T>
  std::optional<T> next_need() {
    while (const std::optional<PassNeed> need = next<PassNeed>()) {
      if (const T* wanted = std::get_if<T>(&*need)) {
        return *wanted;
      }
    }
    return std::nullopt;
  }

  /// The next pass that was run at `moment` or later, by the test's clock.
  std::optional<PassDone> next_pass_since(MonoTime moment) {
    while (std::optional<PassDone> done = next<PassDone>()) {
      if (done->copy && done->copy->now >= moment) {
        return done;
      }
    }
    return std::nullopt;
  }

  static constexpr std::size_t kQueue = 64;
  static constexpr const char* kIntentClock = "of the test";

  FakeNode node_;
  ManualClock clock_;
  FakeFilesystems filesystems_{clock_};
  FakeEventRing ring_{clock_};
  const probe::Ladder ladder_ = ladder_of_every_hook();
  FakeUsageTable table_;
  FakeBackstop backstop_;
  /// Without terms nothing is observed by them.
  GuardTermsBoard guard_terms_;
  base::Lender loans_;
  Mailbox<ToHot> inbox_{kQueue, base::WakeUp::create().value()};
  Mailbox<ToHousekeeping> outbox_{kQueue, base::WakeUp::create().value()};
  FakeActuator actuator_;
  FakeActuator dry_run_;
  HotCounters counters_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> may_stand_by_{true};
  std::unique_ptr<HotLoop> hot_;
  /// What next() passed over: it may own what the hot thread still points to.
  std::deque<ToHousekeeping> dropped_;
  std::thread thread_;
};

}  // namespace evictd::daemon
