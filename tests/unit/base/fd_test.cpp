// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace evictd::base {
namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}

TEST(Fd, ClosesWhatItHeldWhenAnotherIsMovedIn) {
  Fd first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd second(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int closed = first.get();
  const int kept = second.get();
  first = std::move(second);
  EXPECT_FALSE(is_open(closed));
  EXPECT_EQ(first.get(), kept);
  EXPECT_TRUE(is_open(kept));
}

TEST(Fd, IsEmptyAfterItWasReleased) {
  Fd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd again(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(again.get()));
}

}  // namespace
}  // namespace evictd::base
