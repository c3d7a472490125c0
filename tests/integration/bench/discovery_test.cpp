// SPDX-License-Identifier: Apache-2.0
#include "scale/discovery.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"

namespace evictd::bench {
namespace {

TEST(NewDescriptors, AreThoseThatWereOpenedLater) {
  const base::Fd before{::open("/proc/self/status", O_RDONLY | O_CLOEXEC)};
  const NewDescriptors descriptors{::getpid()};
  // Listing the descriptors of this process took the lowest free number, which is not new.
  const base::Fd same_as_listing{::dup(before.get())};
  EXPECT_FALSE(descriptors.lead_to("/status"));
  EXPECT_FALSE(descriptors.lead_to("/limits"));
  base::Fd later{::open("/proc/self/limits", O_RDONLY | O_CLOEXEC)};
  EXPECT_FALSE(descriptors.lead_to("/status"));
  EXPECT_TRUE(descriptors.lead_to("/limits"));
  later.reset();
  EXPECT_FALSE(descriptors.lead_to("/limits"));
}

TEST(NewDescriptors, OfAProcessThatIsGoneLeadNowhere) {
  const NewDescriptors descriptors{0};
  EXPECT_FALSE(descriptors.lead_to("/"));
}

}  // namespace
}  // namespace evictd::bench
