// SPDX-License-Identifier: Apache-2.0
#include "sys/thread_name.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <array>
#include <string>
#include <thread>

namespace evictd::sys {
namespace {

/// What the kernel calls the calling thread.
std::string own_name() {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  return name.data();
}

TEST(ThreadName, IsThatOfTheCallingThreadAlone) {
  const std::string before = own_name();
  std::string inside;
  std::thread thread([&inside] {
    name_thread("evictd-hot");
    inside = own_name();
  });
  thread.join();
  EXPECT_EQ(inside, "evictd-hot");
  EXPECT_EQ(own_name(), before);
}

TEST(ThreadName, OfALongNameTheStartIsKept) {
  std::string inside;
  std::thread thread([&inside] {
    name_thread("evictd-0123456789");
    inside = own_name();
  });
  thread.join();
  EXPECT_EQ(inside, "evictd-01234567");
}

}  // namespace
}  // namespace evictd::sys
