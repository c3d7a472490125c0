// SPDX-License-Identifier: Apache-2.0
#include "stage/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "base/system_clock.h"
#include "stage/text_file.h"
#include "support/temporary_directory.h"

namespace evictd::stage {
namespace {

constexpr std::chrono::seconds kChildDeadline{20};

TEST(StageChild, SaysHowAndWhenItEnded) {
  const MonoTime before = base::SystemClock{}.now();
  Result<Child> child = Child::start({.argv = {"/bin/sh", "-c", "exit 7"}});
  ASSERT_TRUE(child) << child.error().message();
  const Result<ChildExit> end = child->wait(kChildDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(end->text(), "exit status 7");
  EXPECT_GT(end->at, before);
}

TEST(StageChild, AProgramThatIsMissingIsNotFound) {
  const Result<Child> child = Child::start({.argv = {"/nonexistent/program"}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Errc::kNotFound);
}

TEST(StageChild, IsKilledAndReapedWithItsObject) {
  pid_t pid = 0;
  {
    Result<Child> child = Child::start({.argv = {"/bin/sleep", "1000"}});
    ASSERT_TRUE(child) << child.error().message();
    pid = child->pid();
    EXPECT_EQ(child->wait(std::chrono::milliseconds{1}).error().code, Errc::kTimedOut);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(StageChild, DiesOfSigpipeThoughItsParentIgnoresIt) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Result<Child> child = Child::start({.argv = {"/bin/sh", "-c", "kill -PIPE $$"}});
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(child) << child.error().message();
  const Result<ChildExit> end = child->wait(kChildDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_TRUE(end->killed_by(SIGPIPE)) << end->text();
}

TEST(StageChild, WritesToItsOutputFileAndSeesItsEnvironment) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path output = directory.path() / "out";
  Result<Child> child = Child::start({.argv = {"/bin/sh", "-c", "echo $STAGE_WORD"},
                                      .environment = {"STAGE_WORD=heard"},
                                      .output = output});
  ASSERT_TRUE(child) << child.error().message();
  ASSERT_TRUE(child->wait(kChildDeadline));
  EXPECT_EQ(read_text(output).value_or("?"), "heard\n");
}

}  // namespace
}  // namespace evictd::stage
