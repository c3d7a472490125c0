// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/eviction_watch.h"

#include <gtest/gtest.h>

#include "../recording_sink.h"
#include "made.h"

namespace evictd::kube {
namespace {

/// It is always the same moment.
class StandingClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return test::mono_second(0); }
  [[nodiscard]] WallTime wall_now() const override { return test::wall_second(100); }
};

PodDocument running(const std::string& uid) {
  return {.uid = uid, .text = "t"};
}

PodDocument evicted_pod(const std::string& uid, std::optional<WallTime> time) {
  PodDocument document = running(uid);
  document.evicted = KubeletEviction{
      .ns = "n",
      .name = "pod-" + uid,
      .message = "The node was low on resource: memory. Threshold quantity: 9, available: 5. ",
      .time = time};
  return document;
}

class EvictionWatchTest : public testing::Test {
 protected:
  StandingClock clock_;
  test::RecordingSink sink_;
  std::vector<exporting::ComparedEviction> told_;
  EvictionWatch watch_{{.next = &sink_,
                        .clock = &clock_,
                        .on_eviction = [this](exporting::ComparedEviction eviction) {
                          told_.push_back(std::move(eviction));
                        }}};
};

TEST_F(EvictionWatchTest, TellsOfEachEvictionOnceAndPassesEverythingOn) {
  watch_.on_list({running("a"), running("b")}, clock_.now());
  watch_.on_pod(evicted_pod("a", test::wall_second(90)));
  watch_.on_pod(evicted_pod("a", test::wall_second(90)));
  watch_.on_list({evicted_pod("a", test::wall_second(90)), running("b")}, clock_.now());
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].uid, "a");
  EXPECT_EQ(told_[0].time, test::wall_second(90));
  EXPECT_EQ(told_[0].precision, std::chrono::seconds(1));
  EXPECT_EQ(told_[0].resource, "memory");
  EXPECT_EQ(told_[0].available, 5);
  watch_.on_deleted("a");
  EXPECT_EQ(sink_.uids, std::set<std::string>{"b"});
  EXPECT_EQ(sink_.lists, 2);
}

TEST_F(EvictionWatchTest, WithoutATimeItIsWhenItWasSeen) {
  watch_.on_list({running("a")}, clock_.now());
  watch_.on_list({evicted_pod("a", std::nullopt)}, clock_.now());
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].time, test::wall_second(100));
  EXPECT_EQ(told_[0].time_source, "seen");
}

TEST_F(EvictionWatchTest, OfTheFirstListOnlyThoseWithATimeAreTold) {
  watch_.on_list({evicted_pod("a", std::nullopt), evicted_pod("b", test::wall_second(90))},
                 clock_.now());
  watch_.on_pod(evicted_pod("a", std::nullopt));
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].uid, "b");
  EXPECT_EQ(watch_.counters().undated, 1U);
}

TEST_F(EvictionWatchTest, ANameThatNoPodHasIsNotTold) {
  PodDocument pod = evicted_pod("a", test::wall_second(90));
  pod.evicted->name = "a/../b";
  watch_.on_pod(pod);
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace evictd::kube
