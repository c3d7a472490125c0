// SPDX-License-Identifier: Apache-2.0
#include "notify/eventfd_signaller.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <string>

namespace evictd::notify {
namespace {

std::uint64_t count_of(int eventfd) {
  std::uint64_t count = 0;
  return ::read(eventfd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

class EventfdSignallerTest : public testing::Test {
 protected:
  Result<EventfdSignaller> signaller_ = EventfdSignaller::create();
};

TEST_F(EventfdSignallerTest, AddsOneForEachTimeThatItIsTold) {
  ASSERT_TRUE(signaller_) << signaller_.error().message();
  const base::Fd one(::eventfd(0, EFD_NONBLOCK));
  const base::Fd two(::eventfd(5, EFD_NONBLOCK));
  EXPECT_EQ(signaller_->signal({one.get(), two.get(), one.get()}), 3U);
  EXPECT_EQ(count_of(one.get()), 2U);
  EXPECT_EQ(count_of(two.get()), 6U);
}

TEST_F(EventfdSignallerTest, DoesNotWaitForAFullCounterOfABlockingEventfd) {
  ASSERT_TRUE(signaller_);
  const base::Fd full(::eventfd(0, 0));  // blocking: write() would wait for ever
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - 1;
  ASSERT_EQ(::write(full.get(), &most, sizeof(most)), static_cast<ssize_t>(sizeof(most)));
  const base::Fd next(::eventfd(0, EFD_NONBLOCK));
  signaller_->signal({full.get(), next.get()});
  EXPECT_EQ(count_of(next.get()), 1U);
}

TEST_F(EventfdSignallerTest, PassesOverWhatIsNoEventfd) {
  ASSERT_TRUE(signaller_);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const base::Fd reader(pipe[0]);
  const base::Fd writer(pipe[1]);
  const base::Fd one(::eventfd(0, EFD_NONBLOCK));
  EXPECT_EQ(signaller_->signal({one.get(), reader.get(), one.get()}), 2U);
  EXPECT_EQ(count_of(one.get()), 2U);
}

TEST_F(EventfdSignallerTest, TellsNobodyInARehearsalAndEverybodyAfterIt) {
  ASSERT_TRUE(signaller_);
  const base::Fd one(::eventfd(0, EFD_NONBLOCK));
  EXPECT_EQ(signaller_->signal({one.get()}), 1U);
  for (int i = 0; i < 1000; ++i) {
    signaller_->rehearse();
  }
  EXPECT_EQ(count_of(one.get()), 1U) << "not those who were told last";
  EXPECT_EQ(signaller_->signal({one.get(), one.get()}), 2U) << "nothing is left in the queue";
  EXPECT_EQ(count_of(one.get()), 2U);
}

TEST(EventfdSignallerRefusal, NamesTheSysctlWhereTheMachinesContextsAreUsedUp) {
  EXPECT_NE(EventfdSignaller::refusal(EAGAIN).find("fs.aio-max-nr"), std::string::npos);
  EXPECT_EQ(EventfdSignaller::refusal(ENOSYS).find("fs.aio-max-nr"), std::string::npos);
}

TEST_F(EventfdSignallerTest, TellsThousandsInOneCall) {
  ASSERT_TRUE(signaller_);
  const base::Fd one(::eventfd(0, EFD_NONBLOCK));
  EXPECT_EQ(signaller_->signal(std::vector<int>(5000, one.get())), 5000U);
  EXPECT_EQ(count_of(one.get()), 5000U);
}

}  // namespace
}  // namespace evictd::notify
