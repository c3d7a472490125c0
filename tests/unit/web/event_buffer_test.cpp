// SPDX-License-Identifier: Apache-2.0
#include "web/event_buffer.h"

#include <gtest/gtest.h>

#include <thread>

namespace evictd::web {
namespace {

using std::chrono::hours;

std::vector<std::uint64_t> numbers(const EventBuffer::Events& found) {
  std::vector<std::uint64_t> seqs;
  for (const EventBuffer::Event& event : found.events) {
    seqs.push_back(event.seq);
  }
  return seqs;
}

TEST(EventBuffer, HandsOutWhatIsBeyondANumber) {
  EventBuffer buffer(10, 1000);
  for (const std::uint64_t seq : {5U, 6U, 9U}) {
    buffer.add(seq, "{}");
  }
  EXPECT_EQ(numbers(buffer.beyond(0)), (std::vector<std::uint64_t>{5, 6, 9}));
  EXPECT_EQ(numbers(buffer.beyond(6)), (std::vector<std::uint64_t>{9}));
  EXPECT_TRUE(buffer.beyond(9).events.empty());
  EXPECT_EQ(buffer.newest(), 9U);
}

TEST(EventBuffer, TakesALineOnce) {
  EventBuffer buffer(10, 1000);
  buffer.add(5, "first");
  buffer.add(5, "again");
  buffer.add(4, "older");
  ASSERT_EQ(buffer.beyond(0).events.size(), 1U);
  EXPECT_EQ(buffer.beyond(0).events[0].line, "first");
}

TEST(EventBuffer, ForgetsTheOldestBeyondItsLimits) {
  EventBuffer by_lines(2, 1000);
  EventBuffer by_bytes(10, 8);
  for (const std::uint64_t seq : {1U, 2U, 3U}) {
    by_lines.add(seq, "x");
    by_bytes.add(seq, "12345");
  }
  EXPECT_EQ(numbers(by_lines.beyond(0)), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(numbers(by_bytes.beyond(0)), (std::vector<std::uint64_t>{3}));
}

TEST(EventBuffer, KeepsALineLargerThanItsLimit) {
  EventBuffer buffer(10, 4);
  buffer.add(1, "a long line");
  EXPECT_EQ(buffer.beyond(0).events.size(), 1U);
}

TEST(EventBuffer, SaysThatLinesBetweenAreMissing) {
  EventBuffer buffer(2, 1000);
  for (const std::uint64_t seq : {1U, 2U, 3U, 4U}) {
    buffer.add(seq, "x");
  }
  EXPECT_TRUE(buffer.beyond(1).skipped);
  EXPECT_FALSE(buffer.beyond(2).skipped);
  EXPECT_FALSE(buffer.beyond(0).skipped);
}

TEST(EventBuffer, WakesAReaderThatWaits) {
  EventBuffer buffer(10, 1000);
  EventBuffer::Events found;
  std::thread reader([&] { found = buffer.wait_beyond(0, hours(1)); });
  buffer.add(7, "x");
  reader.join();
  EXPECT_EQ(numbers(found), (std::vector<std::uint64_t>{7}));
}

TEST(EventBuffer, ClosingEndsAWait) {
  EventBuffer buffer(10, 1000);
  std::thread reader([&] { EXPECT_TRUE(buffer.wait_beyond(0, hours(1)).events.empty()); });
  buffer.close();
  reader.join();
  EXPECT_TRUE(buffer.closed());
}

}  // namespace
}  // namespace evictd::web
