// SPDX-License-Identifier: Apache-2.0
#include "sys/node_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace evictd::sys {
namespace {

TEST(NodeName, IsTheHostNameInLowerCaseWithoutBlanks) {
  EXPECT_EQ(node_name_from("worker-1"), "worker-1");
  EXPECT_EQ(node_name_from(" Worker-1.Example.COM\n"), "worker-1.example.com");
  EXPECT_EQ(node_name_from(" \n"), "");
  EXPECT_EQ(node_name_from(""), "");
}

TEST(NodeName, IsTakenFromTheMachine) {
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_EQ(node_name_here(), node_name_from(name.data()));
}

}  // namespace
}  // namespace evictd::sys
