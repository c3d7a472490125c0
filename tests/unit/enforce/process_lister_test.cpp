// SPDX-License-Identifier: Apache-2.0
#include "enforce/process_lister.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace evictd::enforce {
namespace {

/// What read_procs() takes from a cgroup.procs that says `text`.
ProcessList listed_in(std::string_view text) {
  const base::Fd file(::memfd_create("procs", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  ProcessList list(8);
  std::array<char, 64> room{};
  EXPECT_EQ(read_procs(file.get(), room, list), ProcsRead::kWhole);
  return list;
}

TEST(ReadProcs, TakesEveryNumberButThatOfAProcessWeCannotSee) {
  const ProcessList list = listed_in("17\n0\n4194304\n");
  EXPECT_EQ(list.pids, (std::vector<pid_t>{17, 4194304}));
  EXPECT_FALSE(list.holds_protected);
  EXPECT_FALSE(list.unread);
}

TEST(ReadProcs, KnowsPidOneAndOurselves) {
  EXPECT_TRUE(listed_in("17\n1\n").holds_protected);
  EXPECT_TRUE(listed_in(std::to_string(::getpid()) + "\n").holds_protected);
}

TEST(ReadProcs, ANumberThatIsNoPidBecomesNeitherASmallNorANegativeOne) {
  const ProcessList list = listed_in("99999999999999999999999999\n4294967297\n-1\n");
  for (const pid_t pid : list.pids) {
    EXPECT_GE(pid, 1);
  }
  ASSERT_EQ(list.pids.size(), 3U);
  EXPECT_GT(list.pids[0], 4194304);
  EXPECT_GT(list.pids[1], 4194304);
  EXPECT_EQ(list.pids[2], 1) << "a sign is none";
  EXPECT_TRUE(list.holds_protected);
}

TEST(ReadProcs, AFileThatCannotBeReadIsNotAnEmptyOne) {
  const base::Fd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ProcessList list(8);
  std::array<char, 64> room{};
  EXPECT_EQ(read_procs(directory.get(), room, list), ProcsRead::kFailed);
  EXPECT_EQ(read_procs(-1, room, list), ProcsRead::kFailed);
  EXPECT_TRUE(list.pids.empty());
}

}  // namespace
}  // namespace evictd::enforce
