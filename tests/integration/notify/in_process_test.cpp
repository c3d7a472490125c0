// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "counted_eventfd.h"
#include "evictd/notify.h"
#include "support/few_descriptors.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {
namespace {

struct CloseHandle {
  void operator()(evictd_notify* handle) const { evictd_notify_close(handle); }
};

/// The library without evictd, and a cgroup to work in.
class InProcess : public testing::Test {
 protected:
  void SetUp() override {
    evictd_notify* handle = nullptr;
    ASSERT_EQ(evictd_notify_open(nullptr, EVICTD_NOTIFY_IN_PROCESS, &handle), 0);
    handle_.reset(handle);
  }
  [[nodiscard]] int add(const CountedEventfd& eventfd, std::uint64_t* id) const {
    evictd_notify_watch watch{};
    watch.threshold = 16 << 20;
    watch.direction = EVICTD_NOTIFY_UP;
    return evictd_notify_register_at(handle_.get(), cgroup_.memory_fd(), &watch, eventfd.get(), id);
  }

  TestCgroup cgroup_ = TestCgroup::create();
  std::unique_ptr<evictd_notify, CloseHandle> handle_;
};

/// What opening says to a user without privileges.
int opened_by_nobody() {
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    evictd_notify* handle = nullptr;
    const bool dropped = ::setresuid(kNobody, kNobody, kNobody) == 0;
    ::_exit(dropped ? evictd_notify_open(nullptr, EVICTD_NOTIFY_IN_PROCESS, &handle) : 0);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(InProcessPrivileges, TheirLackIsToldApartFromAKernelThatCannot) {
  EXPECT_EQ(opened_by_nobody(), EPERM);
}

TEST(InProcessDescriptors, TheirLackIsToldApartFromAKernelThatCannot) {
  for (const int free : {4, 16, 48}) {
    const FewDescriptors few(free);
    evictd_notify* handle = nullptr;
    EXPECT_EQ(evictd_notify_open(nullptr, EVICTD_NOTIFY_IN_PROCESS, &handle), EMFILE) << free;
  }
}

TEST_F(InProcess, ACrossingFiresWithoutEvictd) {
  CountedEventfd eventfd;
  std::uint64_t id = 0;
  ASSERT_EQ(add(eventfd, &id), 0);
  EXPECT_EQ(eventfd.count(), 0U);
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 << 20));
  EXPECT_TRUE(eventfd.reaches(1));
  evictd_notify_state state{};
  ASSERT_EQ(evictd_notify_query(handle_.get(), id, &state), 0);
  EXPECT_EQ(state.side, static_cast<std::uint32_t>(EVICTD_NOTIFY_ABOVE));
  EXPECT_GE(state.deliveries, 1U);
}

TEST_F(InProcess, TheRemovalOfTheCgroupFiresAndEndsTheRegistration) {
  CountedEventfd eventfd;
  std::uint64_t id = 0;
  ASSERT_EQ(add(eventfd, &id), 0);
  cgroup_.remove();
  EXPECT_TRUE(eventfd.reaches(1));
}

TEST_F(InProcess, WhatIsUnregisteredIsGone) {
  const CountedEventfd eventfd;
  std::uint64_t id = 0;
  ASSERT_EQ(add(eventfd, &id), 0);
  evictd_notify_info info{};
  ASSERT_EQ(evictd_notify_get_info(handle_.get(), &info), 0);
  EXPECT_EQ(info.registrations, 1U);
  EXPECT_EQ(info.backend, static_cast<std::uint32_t>(EVICTD_NOTIFY_KERNEL));
  EXPECT_EQ(evictd_notify_unregister(handle_.get(), id), 0);
  EXPECT_EQ(evictd_notify_unregister(handle_.get(), id), ENOENT);
}

}  // namespace
}  // namespace evictd::test
