// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <fstream>

namespace evictd::test {
namespace {

/// The directory of a process that was killed while it had it.
std::filesystem::path left_by_a_killed_process() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryDirectory own;
    std::ofstream(own.path() / "file") << "text";
    const std::string path = own.path().string();
    static_cast<void>(::write(ends[1], path.data(), path.size()) > 0);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(ends[1]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  std::array<char, 4096> text{};
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  return std::string{text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

TEST(TemporaryDirectory, IsGoneWithItsObject) {
  std::filesystem::path path;
  {
    const TemporaryDirectory own;
    path = own.path();
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, IsMadeInTheParentThatIsGiven) {
  const TemporaryDirectory parent;
  const TemporaryDirectory own(parent.path());
  EXPECT_EQ(own.path().parent_path(), parent.path());
}

TEST(TemporaryDirectory, OfAKilledProcessIsRemovedByAnotherAndALiveOneIsNot) {
  const TemporaryDirectory live;
  const std::filesystem::path left = left_by_a_killed_process();
  ASSERT_FALSE(left.empty());
  // Unless another test that runs now has removed it already.
  TemporaryDirectory::remove_abandoned();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::is_directory(live.path()));
}

}  // namespace
}  // namespace evictd::test
