// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/watcher.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>

#include "fake_kernel_side.h"

namespace evictd::daemon {
namespace {

using config::PidAvailableSource;

probe::Ladder ladder_but_for(std::initializer_list<probe::Purpose> missing) {
  probe::Ladder ladder = ladder_of_every_hook();
  for (const probe::Purpose purpose : missing) {
    ladder.purposes[static_cast<std::size_t>(purpose)].rows.front().chosen = false;
  }
  return ladder;
}

TEST(TaskWatcher, IsTheKernelAloneWhereItCountsWhatTheThresholdIsAbout) {
  const probe::Ladder ladder = ladder_of_every_hook();
  EXPECT_EQ(task_watcher(ladder, PidAvailableSource::kPodRoot), Watcher::kKernel);
  EXPECT_EQ(task_watcher(ladder, PidAvailableSource::kNode), Watcher::kKernelAndPolling)
      << "it counts pids, which are not all tasks";
}

TEST(TaskWatcher, WithoutTheTimerPollingStays) {
  for (const PidAvailableSource source :
       {PidAvailableSource::kNode, PidAvailableSource::kPodRoot}) {
    EXPECT_EQ(task_watcher(ladder_but_for({probe::Purpose::kSweepTimer}), source),
              Watcher::kKernelAndPolling);
    EXPECT_EQ(task_watcher(ladder_but_for({probe::Purpose::kSweepTimer, probe::Purpose::kTaskFork}),
                           source),
              Watcher::kPolling);
  }
}

}  // namespace
}  // namespace evictd::daemon
