// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/durable_queue.h"

#include <filesystem>
#include <fstream>

#include "made.h"
#include "support/file_size_limit.h"
#include "support/temporary_directory.h"

namespace evictd::kube::test {
namespace {

class DurableQueueFile : public testing::Test {
 protected:
  [[nodiscard]] Result<DurableQueue> open() const {
    return DurableQueue::open(directory_.path().string(), at("2026-01-01T00:00:00Z"));
  }
  static Result<> take(DurableQueue& queue, std::uint64_t seq) {
    return queue.take(planned(evicted(seq, "u" + std::to_string(seq)), queue.state()));
  }
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "queue"; }

  evictd::test::TemporaryDirectory directory_;
};

TEST_F(DurableQueueFile, WhatWasTakenIsThereAfterARestart) {
  {
    Result<DurableQueue> queue = open();
    ASSERT_TRUE(queue);
    ASSERT_TRUE(take(*queue, 5));
    ASSERT_TRUE(queue->record_done(5 * kEntriesOfALine, 1));
  }
  const Result<DurableQueue> queue = open();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->seen(), 5U);
  EXPECT_EQ(queue->state().since(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(queue->state().entries().size(), 2U);
  EXPECT_EQ(queue->state().entries().begin()->second.done, 1U);
}

TEST_F(DurableQueueFile, ALineThatWasCutShortIsTakenAway) {
  {
    Result<DurableQueue> queue = open();
    ASSERT_TRUE(queue);
    ASSERT_TRUE(take(*queue, 5));
    ASSERT_TRUE(take(*queue, 7));
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 9);
  Result<DurableQueue> queue = open();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->damage(), "");
  EXPECT_EQ(queue->seen(), 5U);
  ASSERT_TRUE(take(*queue, 7));
  EXPECT_EQ(queue->state().entries().size(), 4U);
}

TEST_F(DurableQueueFile, AFullDiskTakesNothingAndBreaksNothing) {
  {
    Result<DurableQueue> queue = open();
    ASSERT_TRUE(queue);
    ASSERT_TRUE(take(*queue, 5));
    {
      const evictd::test::FileSizeLimit limit(std::filesystem::file_size(file()) + 40);
      EXPECT_FALSE(take(*queue, 7));
    }
    EXPECT_EQ(queue->seen(), 5U);
    ASSERT_TRUE(take(*queue, 7));
  }
  const Result<DurableQueue> queue = open();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->damage(), "");
  EXPECT_EQ(queue->state().entries().size(), 4U);
}

TEST_F(DurableQueueFile, WhatIsDoneLeavesTheFile) {
  Result<DurableQueue> queue = open();
  ASSERT_TRUE(queue);
  for (std::uint64_t seq = 5; seq < 2000; ++seq) {
    ASSERT_TRUE(take(*queue, seq));
    ASSERT_TRUE(queue->record_done(seq * kEntriesOfALine, 2));
    ASSERT_TRUE(queue->record_done(seq * kEntriesOfALine + 1, 2));
  }
  EXPECT_LT(std::filesystem::file_size(file()), std::uintmax_t{1} << 20U);
  EXPECT_TRUE(queue->state().entries().empty());
}

TEST_F(DurableQueueFile, LinesThatCallForNothingCostNoWriteEach) {
  Result<DurableQueue> queue = open();
  ASSERT_TRUE(queue);
  ASSERT_TRUE(take(*queue, 5));
  const std::uintmax_t before = std::filesystem::file_size(file());
  for (std::uint64_t seq = 6; seq < 200; ++seq) {
    ASSERT_TRUE(queue->take({.seq = seq}));
  }
  EXPECT_EQ(std::filesystem::file_size(file()), before);
  EXPECT_EQ(queue->seen(), 199U);
  ASSERT_TRUE(queue->take({.seq = 600}));
  EXPECT_GT(std::filesystem::file_size(file()), before);
}

TEST_F(DurableQueueFile, WhatIsNoFileIsRefused) {
  std::filesystem::create_directory(file());
  EXPECT_FALSE(open());
}

}  // namespace
}  // namespace evictd::kube::test
