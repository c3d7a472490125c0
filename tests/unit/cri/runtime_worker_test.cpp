// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime_worker.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/system_clock.h"
#include "support/cri/fake_runtime.h"
#include "support/temporary_directory.h"

namespace evictd::cri {
namespace {

constexpr int kPatienceMs = 60'000;
const WallTime kNow{std::chrono::hours(1)};

class RuntimeWorkerTest : public testing::Test {
 protected:
  void start(Duration poll_interval = std::chrono::hours(1)) {
    auto started = RuntimeWorker::start({.client = {.channel = {.socket = socket()}},
                                         .poll_interval = poll_interval,
                                         .follows_events = follows_events_,
                                         .clock = &clock_});
    ASSERT_TRUE(started);
    worker_ = std::move(*started);
  }
  template <typename Condition>
  RuntimeReport await_report(Condition condition) {
    for (;;) {
      RuntimeReport report = worker_->report();
      if (condition(report)) {
        return report;
      }
      pollfd changed{worker_->descriptor(), POLLIN, 0};
      if (::poll(&changed, 1, kPatienceMs) != 1) {
        ADD_FAILURE() << "the report did not become so: " << report.problem;
        return report;
      }
      worker_->told();
    }
  }
  void await_listener() {
    while (runtime_.listeners() == 0) {
      std::this_thread::yield();
    }
  }
  static bool is_idle(const RuntimeReport& report) {
    return report.counters.polls > 0 && report.waiting == 0;
  }
  [[nodiscard]] std::string socket() const { return (directory_.path() / "cri.sock").string(); }

  evictd::test::TemporaryDirectory directory_;
  base::SystemClock clock_;
  test::FakeRuntime runtime_{socket()};
  bool follows_events_ = true;
  std::unique_ptr<RuntimeWorker> worker_;
};

TEST_F(RuntimeWorkerTest, EndsEachReadySandboxOfAnEvictedPodOnce) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("old", "u1", wire::SANDBOX_NOTREADY),
                       test::sandbox("now", "u1", wire::SANDBOX_READY),
                       test::sandbox("other", "u2", wire::SANDBOX_READY)};
  });
  start();
  worker_->end_pod({.id = 1, .uid = "u1", .seen_at = kNow});
  worker_->end_pod({.id = 1, .uid = "u1", .seen_at = kNow});
  const RuntimeReport report = await_report(is_idle);
  EXPECT_EQ(runtime_.changes(), std::vector<std::string>{"StopPodSandbox now"});
  EXPECT_EQ(report.counters.stopped_sandboxes, 1U);
  EXPECT_EQ(report.evicted.told, 1U);
}

TEST_F(RuntimeWorkerTest, LeavesASandboxAloneThatWasMadeAfterTheEviction) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {
        test::sandbox("new", "u1", wire::SANDBOX_READY, kNow.time_since_epoch().count() + 1)};
  });
  start();
  worker_->end_pod({.id = 1, .uid = "u1", .seen_at = kNow});
  const RuntimeReport report = await_report(is_idle);
  EXPECT_TRUE(runtime_.changes().empty());
  EXPECT_EQ(report.counters.ended_by_others, 1U);
}

TEST_F(RuntimeWorkerTest, TriesAgainWhereTheRuntimeFails) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s", "u1", wire::SANDBOX_READY)};
  });
  runtime_.set_fault("StopPodSandbox", test::Fault::kUnavailable);
  start();
  worker_->end_pod({.id = 1, .uid = "u1", .seen_at = kNow});
  // A poll that succeeds ends the problem until the next attempt fails.
  const RuntimeReport failed = await_report([](const RuntimeReport& report) {
    return report.problem.find("stop sandbox s of pod n/pod-u1") != std::string::npos;
  });
  EXPECT_EQ(failed.waiting, 1U);
  EXPECT_GE(failed.counters.failed_stops, 1U);
  runtime_.set_fault("StopPodSandbox", std::nullopt);
  const RuntimeReport report = await_report(is_idle);
  EXPECT_EQ(report.counters.stopped_sandboxes, 1U);
  EXPECT_EQ(report.evicted.abandoned, 0U);
}

TEST_F(RuntimeWorkerTest, EndsAtOnceWhileTheRuntimeHangs) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s", "u1", wire::SANDBOX_READY)};
  });
  runtime_.set_fault("StopPodSandbox", test::Fault::kHang);
  start();
  worker_->end_pod({.id = 1, .uid = "u1", .seen_at = kNow});
  while (runtime_.calls("StopPodSandbox") == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(worker_->report().waiting, 1U);
  // Returns, though the call has two minutes.
  worker_.reset();
}

TEST_F(RuntimeWorkerTest, KnowsContainersLayersAndImages) {
  runtime_.change([](test::RuntimeState& state) {
    state.containers = {test::container("c", "s", "u1", "main", wire::CONTAINER_RUNNING)};
    state.containers.front().set_image_ref("i1");
    wire::ContainerStats stats;
    stats.mutable_attributes()->set_id("c");
    stats.mutable_writable_layer()->mutable_used_bytes()->set_value(4096);
    state.stats = {stats};
    state.images.resize(2);
    state.images[0].set_id("i1");
    state.images[1].set_id("i2");
  });
  start();
  const RuntimeReport report = await_report(is_idle);
  ASSERT_EQ(report.containers.size(), 1U);
  ASSERT_EQ(report.layers.size(), 1U);
  EXPECT_EQ(report.layers.front().bytes, 4096U);
  ASSERT_EQ(report.image_ages.size(), 2U);
  EXPECT_TRUE(report.image_ages.at("i1").last_used.has_value());
  EXPECT_FALSE(report.image_ages.at("i2").last_used.has_value());
  EXPECT_EQ(report.version->api, "v1");
}

TEST_F(RuntimeWorkerTest, KnowsCgroupAndLogOfAContainerAndAsksForThemOnce) {
  runtime_.change([](test::RuntimeState& state) {
    state.containers = {test::container("c1", "s", "u1", "main", wire::CONTAINER_RUNNING),
                        test::container("c2", "s", "u1", "side", wire::CONTAINER_RUNNING)};
  });
  start(std::chrono::milliseconds(1));
  const RuntimeReport report =
      await_report([](const RuntimeReport& seen) { return seen.details.size() == 2; });
  EXPECT_EQ(report.details.at("c1").cgroup, "/pods/c1");
  EXPECT_EQ(report.details.at("c2").log_path, "/logs/c2");
  const std::uint64_t polls = report.counters.polls;
  await_report([&](const RuntimeReport& seen) { return seen.counters.polls > polls + 2; });
  EXPECT_EQ(runtime_.calls("ContainerStatus"), 2);
}

TEST_F(RuntimeWorkerTest, ForgetsWhatItKnewOfAContainerThatIsGone) {
  runtime_.change([](test::RuntimeState& state) {
    state.containers = {test::container("c1", "s", "u1", "main", wire::CONTAINER_RUNNING)};
  });
  start(std::chrono::milliseconds(1));
  await_report([](const RuntimeReport& seen) { return seen.details.size() == 1; });
  runtime_.change([](test::RuntimeState& state) { state.containers.clear(); });
  await_report([](const RuntimeReport& seen) { return seen.details.empty(); });
}

TEST_F(RuntimeWorkerTest, ListsAnewWhenTheRuntimeTellsOfAnEvent) {
  runtime_.change([](test::RuntimeState& state) { state.has_events = true; });
  start();
  await_report(is_idle);
  await_listener();
  runtime_.change([](test::RuntimeState& state) {
    state.containers = {test::container("c1", "s", "u1", "main", wire::CONTAINER_RUNNING)};
  });
  runtime_.tell_event("c1");
  // The next poll by itself is an hour away.
  const RuntimeReport report = await_report([](const RuntimeReport& seen) {
    return seen.containers.size() == 1 && seen.events.counters.events == 1;
  });
  EXPECT_EQ(report.events.problem, "");
}

TEST_F(RuntimeWorkerTest, PollsARuntimeWithoutEventsAndAsksItOnceForThem) {
  start(std::chrono::milliseconds(1));
  const RuntimeReport report = await_report([](const RuntimeReport& seen) {
    return seen.events.state == EventsState::kUnimplemented && seen.counters.polls > 3;
  });
  EXPECT_NE(report.events.problem.find("GetContainerEvents"), std::string::npos);
  EXPECT_EQ(report.problem, "") << "a runtime without events is well";
  EXPECT_EQ(runtime_.calls("GetContainerEvents"), 1);
}

TEST_F(RuntimeWorkerTest, AsksAnotherRuntimeForEventsAgain) {
  start(std::chrono::milliseconds(1));
  await_report([](const RuntimeReport& seen) {
    return seen.events.state == EventsState::kUnimplemented && seen.counters.polls > 0;
  });
  runtime_.change([](test::RuntimeState& state) {
    state.has_events = true;
    state.version = "2";
  });
  await_report(
      [](const RuntimeReport& seen) { return seen.events.state == EventsState::kFollowed; });
}

TEST_F(RuntimeWorkerTest, FollowsAStreamAgainThatBroke) {
  runtime_.change([](test::RuntimeState& state) { state.has_events = true; });
  start();
  await_report(is_idle);
  await_listener();
  // What comes in between is missed, so it lists anew by itself; the next poll is an hour away.
  runtime_.change([](test::RuntimeState& state) {
    state.containers = {test::container("c1", "s", "u1", "main", wire::CONTAINER_RUNNING)};
  });
  runtime_.end_streams();
  const RuntimeReport report = await_report([](const RuntimeReport& seen) {
    return seen.events.counters.streams == 2 && seen.containers.size() == 1;
  });
  EXPECT_EQ(report.events.counters.events, 0U);
}

TEST_F(RuntimeWorkerTest, BreaksAStreamOffThatIsNone) {
  runtime_.change([](test::RuntimeState& state) { state.has_events = true; });
  start();
  await_listener();
  runtime_.tell("\xff\xff\xff\xff garbage");
  const RuntimeReport report =
      await_report([](const RuntimeReport& seen) { return seen.events.counters.streams == 2; });
  EXPECT_EQ(report.events.counters.events, 0U);
}

TEST_F(RuntimeWorkerTest, EndsAtOnceWhileAStreamIsSilent) {
  runtime_.change([](test::RuntimeState& state) { state.has_events = true; });
  start();
  await_listener();
  worker_.reset();
}

TEST_F(RuntimeWorkerTest, FollowsNoEventsWhereItIsNotTo) {
  follows_events_ = false;
  start();
  const RuntimeReport report = await_report(is_idle);
  EXPECT_EQ(report.events.state, EventsState::kOff);
  EXPECT_EQ(runtime_.calls("GetContainerEvents"), 0);
}

TEST_F(RuntimeWorkerTest, GoesOnWithWhatItKnewAndSaysWhatIsWrong) {
  start(std::chrono::milliseconds(1));
  await_report(is_idle);
  runtime_.set_fault("ListContainers", test::Fault::kUnavailable);
  const RuntimeReport failed =
      await_report([](const RuntimeReport& report) { return !report.problem.empty(); });
  EXPECT_TRUE(failed.polled_at.has_value());
  runtime_.set_fault("ListContainers", std::nullopt);
  await_report([](const RuntimeReport& report) { return report.problem.empty(); });
}

}  // namespace
}  // namespace evictd::cri
