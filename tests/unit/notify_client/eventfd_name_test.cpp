// SPDX-License-Identifier: Apache-2.0
#include "notify_client/eventfd_name.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "support/few_descriptors.h"

namespace evictd::notify_client {
namespace {

base::Fd new_eventfd(unsigned int count = 0) {
  return base::Fd(::eventfd(count, EFD_CLOEXEC));
}

TEST(EventFdName, AnOpenEventfdIsHeldAsADuplicate) {
  const base::Fd eventfd = new_eventfd();
  const Result<EventFdName> name = name_eventfd(eventfd.get());
  ASSERT_TRUE(name.has_value());
  const Result<base::Fd> held = hold_eventfd(*name);
  ASSERT_TRUE(held.has_value());
  EXPECT_NE(held->get(), eventfd.get());
  EXPECT_EQ(name_eventfd(held->get())->id, name->id);
}

TEST(EventFdName, AnotherEventfdWithItsNumberIsNotHeld) {
  const base::Fd eventfd = new_eventfd();
  const Result<EventFdName> name = name_eventfd(eventfd.get());
  ASSERT_TRUE(name.has_value());
  const base::Fd other = new_eventfd();
  ASSERT_EQ(::dup3(other.get(), eventfd.get(), O_CLOEXEC), eventfd.get());
  const Result<base::Fd> held = hold_eventfd(*name);
  ASSERT_FALSE(held.has_value());
  EXPECT_EQ(held.error().sys_errno, EBADF);
}

TEST(EventFdName, AShortageOfDescriptorsIsNoClosedEventfd) {
  const base::Fd eventfd = new_eventfd();
  const Result<EventFdName> name = name_eventfd(eventfd.get());
  ASSERT_TRUE(name.has_value());
  for (const int left : {0, 1}) {
    const test::FewDescriptors few(left + 1);
    const base::Fd last(::fcntl(eventfd.get(), F_DUPFD_CLOEXEC, 0));
    const Result<base::Fd> held = hold_eventfd(*name);
    ASSERT_FALSE(held.has_value()) << left;
    EXPECT_EQ(held.error().sys_errno, EMFILE) << left;
  }
}

TEST(EventFdName, AnEventfdIsNotNamedWithoutItsIdForWantOfADescriptor) {
  const base::Fd eventfd = new_eventfd();
  const test::FewDescriptors few(1);
  const base::Fd last(::fcntl(eventfd.get(), F_DUPFD_CLOEXEC, 0));
  const Result<EventFdName> name = name_eventfd(eventfd.get());
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().sys_errno, EMFILE);
}

TEST(EventFdName, WhatIsNoEventfdHasNoName) {
  const base::Fd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(name_eventfd(file.get()).error().sys_errno, EBADF);
  EXPECT_EQ(name_eventfd(-1).error().sys_errno, EBADF);
}

TEST(EventFdName, AFullCounterIsLeftAlone) {
  const base::Fd eventfd = new_eventfd();
  ASSERT_EQ(::eventfd_write(eventfd.get(), UINT64_MAX - 1), 0);
  add_one(eventfd.get());
  eventfd_t count = 0;
  ASSERT_EQ(::eventfd_read(eventfd.get(), &count), 0);
  EXPECT_EQ(count, UINT64_MAX - 1);
}

}  // namespace
}  // namespace evictd::notify_client
