// SPDX-License-Identifier: Apache-2.0
#include "notify/level_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::notify {
namespace {

TEST(SettledWorkingSet, IsWhatWasReadWhereNothingMoved) {
  EXPECT_EQ(settle_working_set(std::nullopt, {100, 100}, 30), 70U);
  EXPECT_EQ(settle_working_set(10, {100, 100}, 30), 70U);
  EXPECT_EQ(settle_working_set(90, {100, 100}, 30), 70U);
  EXPECT_EQ(settle_working_set(90, {20, 20}, 30), 0U);
}

TEST(SettledWorkingSet, MovesNoFurtherThanItMustWhileUsageMoves) {
  // 100 were charged between two files: whether they are inactive is not known.
  EXPECT_EQ(settle_working_set(70, {100, 200}, 30), 70U);
  EXPECT_EQ(settle_working_set(120, {100, 200}, 30), 120U);
  EXPECT_EQ(settle_working_set(10, {100, 200}, 30), 70U);
  EXPECT_EQ(settle_working_set(300, {100, 200}, 30), 170U);
}

TEST(LevelFiles, RefuseAWorkingSetWithoutStatistics) {
  const test::TemporaryDirectory directory;
  for (const char* file : {"memory.current", "cgroup.procs"}) {
    std::ofstream(directory.path() / file) << "4096\n";
  }
  const base::Fd open(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const LevelKey key{.cgroup = {}, .signal = EVICTD_NOTIFY_WORKING_SET};
  const Result<LevelFiles> files = LevelFiles::open(key, open.get());
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().sys_errno, EOPNOTSUPP);
  std::ofstream(directory.path() / "memory.stat") << "inactive_file 1024\n";
  Result<LevelFiles> complete = LevelFiles::open(key, open.get());
  ASSERT_TRUE(complete);
  EXPECT_EQ(complete->read(MonoTime{})->value, 3072U);
}

}  // namespace
}  // namespace evictd::notify
