// SPDX-License-Identifier: Apache-2.0
#include "notify_client/in_process_client.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace evictd::notify_client {
namespace {

TEST(InProcessClient, AShortageIsToldApartFromAKernelThatCannot) {
  for (const int want : {EMFILE, ENFILE, ENOMEM, EAGAIN}) {
    EXPECT_EQ(errno_of_opening(fail_errno(want, "make an engine").value()), want);
  }
  for (const int lack : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    EXPECT_EQ(errno_of_opening(fail_errno(lack, "make an engine").value()), EOPNOTSUPP);
  }
  EXPECT_EQ(errno_of_opening(fail(Errc::kUnsupported, "no such program").value()), EOPNOTSUPP);
}

TEST(InProcessClient, WithoutThePrivilegesIsEperm) {
  EXPECT_EQ(errno_of_opening(fail_errno(EPERM, "load").value()), EPERM);
  EXPECT_EQ(errno_of_opening(fail_errno(EACCES, "load").value()), EPERM);
}

}  // namespace
}  // namespace evictd::notify_client
