// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify/notify_only.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "config/settings.h"

namespace evictd::daemon {
namespace {

TEST(NotifyOnly, PriorityIsAboveLowestReadersAndBelowEvictions) {
  EXPECT_GT(kNotifyPriority, ::sched_get_priority_min(SCHED_FIFO));
  EXPECT_LT(kNotifyPriority, config::RealtimeSettings{}.priority);
}

}  // namespace
}  // namespace evictd::daemon
