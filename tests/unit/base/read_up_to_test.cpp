// SPDX-License-Identifier: Apache-2.0
#include "base/read_up_to.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "base/fd.h"
#include "base/write_all.h"

namespace evictd::base {
namespace {

/// The end of a pipe that is read; `text` is in it, and nothing will follow.
Fd pipe_with(const std::string& text) {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0) << std::strerror(errno);
  Fd read_end(ends[0]);
  const Fd write_end(ends[1]);
  EXPECT_TRUE(write_all(write_end.get(), text, "pipe"));
  return read_end;
}

TEST(ReadUpTo, TheEndMayComeFirst) {
  const Fd pipe = pipe_with("abc");
  EXPECT_EQ(read_up_to(pipe.get(), 100, "pipe").value(), "abc");
  EXPECT_EQ(read_up_to(pipe.get(), 100, "pipe").value(), "");
}

TEST(ReadUpTo, WhatIsBeyondTheLimitIsReadNextTime) {
  const Fd pipe = pipe_with("abcde");
  EXPECT_EQ(read_up_to(pipe.get(), 2, "pipe").value(), "ab");
  EXPECT_EQ(read_up_to(pipe.get(), 3, "pipe").value(), "cde");
}

TEST(ReadUpTo, AFileOfManyBlocksIsReadWhole) {
  const Fd file(::memfd_create("blocks", MFD_CLOEXEC));
  const std::string text(1'000'000, 'x');
  ASSERT_TRUE(write_all(file.get(), text, "blocks"));
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  EXPECT_EQ(read_up_to(file.get(), 2'000'000, "blocks").value(), text);
}

TEST(ReadUpTo, AReadThatFailsIsAnErrorWithItsReason) {
  const Fd memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(memory);
  const Result<std::string> read = read_up_to(memory.get(), 10, "memory");
  ASSERT_FALSE(read) << "nothing is at address 0";
  EXPECT_EQ(read.error().code, Errc::kIo);
  EXPECT_EQ(read.error().message(), "read memory: Input/output error");
}

TEST(ReadUpTo, OfAProcessThatHasGoneMeanwhileIsNotFound) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const Fd stat(::open(("/proc/" + std::to_string(child) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(stat);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const Result<std::string> read = read_up_to(stat.get(), 100, "stat");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::base
