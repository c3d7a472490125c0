// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage_worker.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
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
  /// All answers up to the last one. The deadline is for failure only.
  [[nodiscard]] std::vector<MeasuredPods> answers() const {
    std::vector<MeasuredPods> all;
    while (all.empty() || all.back().under_way) {
      StorageAnswer answer = worker_->take();
      if (auto* measured = std::get_if<MeasuredPods>(&answer)) {
        all.push_back(std::move(*measured));
        continue;
      }
      pollfd ready{.fd = worker_->descriptor(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 60'000) != 1) {
        ADD_FAILURE() << "no answer";
        break;
      }
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
  worker_->measure(kRound, {"filler", "small"}, StorageWorker::Telling::kAsItComes);
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

TEST_F(WalkedPods, WhatNobodyWaitsForIsToldAtTheEnd) {
  worker_->measure(0, {"filler", "small"}, StorageWorker::Telling::kAtTheEnd);
  const std::vector<MeasuredPods> told = answers();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(inodes(*find(told.front(), "filler")), kFiles + 1U);
}

}  // namespace
}  // namespace evictd::daemon
