// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/storage_worker.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

/// The pod "filler" with more files than the first walk looks at, and "small" with one.
class WalkedPods : public testing::Test {
 protected:
  static constexpr int kFiles = 700;
  static constexpr std::uint64_t kRound = 3;

  WalkedPods() {
    for (int n = 0; n < kFiles; ++n) {
      write("filler", std::to_string(n));
    }
    write("small", "one");
    worker_ = StorageWorker::start({.directories = {.kubelet_root = tree_.path() + "/kubelet",
                                                    .pod_logs = tree_.path() + "/logs"},
                                    .entries_per_second = 100'000'000})
                  .value();
  }
  void write(const std::string& uid, const std::string& name) const {
    const std::filesystem::path volume = std::filesystem::path(tree_.path()) / "kubelet/pods" /
                                         uid / "volumes/kubernetes.io~empty-dir/data";
    std::filesystem::create_directories(volume);
    std::ofstream(volume / name) << 'x';
  }
  void measure(std::uint64_t round, StorageSurvey::Telling telling) const {
    worker_->measure(
        {.round = round,
         .pods = {{.uid = "filler", .containers = {}}, {.uid = "small", .containers = {}}},
         .telling = telling});
  }
  /// The deadline is for failure only.
  [[nodiscard]] std::optional<MeasuredPods> next_answer() const {
    for (;;) {
      std::optional<StorageAnswer> answer = worker_->take();
      if (answer) {
        return std::get<MeasuredPods>(std::move(*answer));
      }
      pollfd ready{.fd = worker_->descriptor(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 60'000) != 1) {
        ADD_FAILURE() << "no answer";
        return std::nullopt;
      }
    }
  }
  /// All answers up to the last one.
  [[nodiscard]] std::vector<MeasuredPods> answers() const {
    std::vector<MeasuredPods> all;
    while (all.empty() || all.back().under_way) {
      std::optional<MeasuredPods> answer = next_answer();
      if (!answer) {
        break;
      }
      all.push_back(std::move(*answer));
    }
    return all;
  }
  static const disk::PodStorage* find(const MeasuredPods& answer, const std::string& uid) {
    const auto found = std::find_if(answer.pods.begin(), answer.pods.end(),
                                    [&](const auto& pod) { return pod.uid == uid; });
    return found == answer.pods.end() ? nullptr : &*found;
  }
  static std::uint64_t inodes(const disk::PodStorage& pod) {
    return pod.statistics.volumes.at(0).use.inodes.value_or(0);
  }

  test::FakeTree tree_;
  std::unique_ptr<StorageWorker> worker_;
};

TEST_F(WalkedPods, ThoseWithFewFilesAreKnownBeforeTheOneWithManyIsCounted) {
  measure(kRound, StorageSurvey::Telling::kAsItComes);
  const std::vector<MeasuredPods> told = answers();
  ASSERT_GE(told.size(), 2U);
  bool small_known = false;
  for (const MeasuredPods& answer : told) {
    EXPECT_EQ(answer.round, kRound);
    const disk::PodStorage* small = find(answer, "small");
    small_known = small_known || (small != nullptr && !small->cut_short);
    const disk::PodStorage* filler = find(answer, "filler");
    if (filler != nullptr && !filler->cut_short) {
      EXPECT_TRUE(small_known);
    }
  }
  const disk::PodStorage* first = find(told.front(), "filler");
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->cut_short);
  EXPECT_GT(inodes(*first), inodes(*find(told.back(), "small")));
  EXPECT_EQ(inodes(*find(told.back(), "filler")), kFiles + 1U);
  EXPECT_FALSE(find(told.back(), "filler")->cut_short);
}

TEST_F(WalkedPods, WhatNobodyWaitsForIsToldPodByPodOnceItIsWhole) {
  measure(0, StorageSurvey::Telling::kWholePods);
  const std::vector<MeasuredPods> told = answers();
  std::set<std::string> known;
  for (const MeasuredPods& answer : told) {
    for (const disk::PodStorage& pod : answer.pods) {
      EXPECT_FALSE(pod.cut_short) << pod.uid;
      EXPECT_NE(pod.measured_at, MonoTime{}) << "it has an age";
      known.insert(answer.under_way ? pod.uid : std::string());
    }
  }
  EXPECT_TRUE(known.contains("filler") && known.contains("small"));
  EXPECT_EQ(inodes(*find(told.back(), "filler")), kFiles + 1U);
}

TEST_F(WalkedPods, ANewRequestDoesNotThrowAWalkAway) {
  for (int n = kFiles; n < 8000; ++n) {
    write("filler", std::to_string(n));
  }
  worker_->set_pace(20'000);
  // Each of these comes before the walk of the one before has ended.
  std::uint64_t round = kRound;
  measure(round, StorageSurvey::Telling::kAsItComes);
  std::uint64_t counted = 0;
  // Many rounds: how far a walk comes in one depends on the machine.
  while (counted < 8001 && round < kRound + 10'000) {
    const std::optional<MeasuredPods> answer = next_answer();
    ASSERT_TRUE(answer);
    if (answer->round != round) {
      continue;
    }
    if (const disk::PodStorage* filler = find(*answer, "filler")) {
      counted = inodes(*filler);
      measure(++round, StorageSurvey::Telling::kAsItComes);
    }
  }
  EXPECT_EQ(counted, 8001U);
}

}  // namespace
}  // namespace evictd::daemon
