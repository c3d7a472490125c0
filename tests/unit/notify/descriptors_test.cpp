// SPDX-License-Identifier: Apache-2.0
#include "notify/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <cerrno>

#include "base/fd.h"
#include "support/few_descriptors.h"

namespace evictd::notify {
namespace {

TEST(EventfdIdentity, TellsAnEventfdFromWhatIsNone) {
  const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC));
  const base::Fd file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(eventfd_of(0, eventfd.get()).id);
  for (const int number : {file.get(), 9999}) {
    const EventfdIdentity look = eventfd_of(0, number);
    EXPECT_FALSE(look.id);
    EXPECT_EQ(look.problem, 0);
  }
}

TEST(EventfdIdentity, SaysThatThereIsNoDescriptorLeftToLookWith) {
  const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC));
  const test::FewDescriptors none(0);
  const EventfdIdentity look = eventfd_of(0, eventfd.get());
  EXPECT_FALSE(look.id);
  EXPECT_EQ(look.problem, EMFILE);
}

}  // namespace
}  // namespace evictd::notify
