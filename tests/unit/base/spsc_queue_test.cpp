// SPDX-License-Identifier: Apache-2.0
#include "base/spsc_queue.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <memory>
#include <optional>
#include <thread>

namespace evictd::base {
namespace {

TEST(SpscQueue, GivesItemsInTheOrderTheyCame) {
  SpscQueue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(SpscQueue, RefusesWhenFullAndLeavesTheItemWithTheWriter) {
  SpscQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);  // NOLINT(bugprone-use-after-move): a refused push takes nothing
}

TEST(SpscQueue, LetsGoOfWhatWasTakenAndOfWhatNobodyTook) {
  const auto item = std::make_shared<int>(1);
  {
    SpscQueue<std::shared_ptr<int>> queue(2);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(queue.push(std::shared_ptr<int>(item)));
      EXPECT_EQ(queue.pop(), item);
      EXPECT_EQ(item.use_count(), 1) << "the queue kept what it gave away";
    }
    EXPECT_TRUE(queue.push(std::shared_ptr<int>(item)));
    EXPECT_TRUE(queue.push(std::shared_ptr<int>(item)));
  }
  EXPECT_EQ(item.use_count(), 1) << "what was never taken is still held";
}

TEST(SpscQueue, HoldsWhatItWouldWhenItsMemoryIsThereFromTheStart) {
  SpscQueue<std::unique_ptr<int>> queue(3);
  queue.populate();
  EXPECT_EQ(queue.pop(), std::nullopt);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(queue.push(std::make_unique<int>(i)));
    }
    EXPECT_FALSE(queue.push(std::make_unique<int>(3)));
    for (int i = 0; i < 3; ++i) {
      const std::optional<std::unique_ptr<int>> item = queue.pop();
      ASSERT_TRUE(item);
      EXPECT_EQ(**item, i);
    }
  }
}

TEST(SpscQueue, HasAllOfItsMemoryOncePopulated) {
  constexpr std::size_t kPage = 4096;
  SpscQueue<std::array<char, kPage>> queue(4096);
  const auto faults = [] {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  };
  const auto fill = [&queue] {
    while (queue.push({})) {
    }
  };
  queue.populate();
  const long before = faults();
  fill();
  // Some are of the thread sanitizer itself.
  EXPECT_LT(faults() - before, 256) << "a fault for each of 4096 pages where none is there yet";
}

TEST(SpscQueue, LosesNothingBetweenTwoThreads) {
  constexpr int kItems = 100'000;
  SpscQueue<int> queue(64);
  std::thread writer([&queue] {
    for (int i = 0; i < kItems;) {
      if (queue.push(int{i})) {
        ++i;
      } else {
        std::this_thread::yield();  // On a busy machine the reader may need this very CPU.
      }
    }
  });
  for (int expected = 0; expected < kItems;) {
    if (const std::optional<int> item = queue.pop()) {
      ASSERT_EQ(*item, expected);
      ++expected;
    } else {
      std::this_thread::yield();
    }
  }
  writer.join();
  EXPECT_EQ(queue.pop(), std::nullopt);
}

}  // namespace
}  // namespace evictd::base
