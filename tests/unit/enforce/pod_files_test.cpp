// SPDX-License-Identifier: Apache-2.0
#include "enforce/pod_files.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace evictd::enforce {
namespace {

/// A file in memory that holds `text`.
base::Fd file_with(std::string_view text) {
  base::Fd file(::memfd_create("control", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return file;
}

std::string text_of(const base::Fd& file) {
  std::array<char, 64> text{};
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  return {text.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
}

TEST(PodFiles, AMissingControlFileIsNotWritten) {
  EXPECT_FALSE(write_control(-1, "1"));
}

TEST(PodFiles, PopulatedIsWhatCgroupEventsSays) {
  EXPECT_EQ(read_populated(file_with("populated 1\nfrozen 0\n").get()), Populated::kYes);
  EXPECT_EQ(read_populated(file_with("populated 0\nfrozen 0\n").get()), Populated::kNo);
  EXPECT_EQ(read_populated(file_with("nonsense").get()), Populated::kYes)
      << "what cannot be read must not pass for a pod that is gone";
}

TEST(ForkStop, TheLimitThatWasThereComesBackUnlessItIsKept) {
  const base::Fd pids_max = file_with("4711\n");
  {
    const ForkStop stop(pids_max.get(), PidsMax(pids_max.get()));
    EXPECT_EQ(text_of(pids_max).front(), '0');
  }
  EXPECT_EQ(text_of(pids_max), "4711\n");
  {
    ForkStop stop(pids_max.get(), PidsMax(pids_max.get()));
    stop.keep();
  }
  EXPECT_EQ(text_of(pids_max).front(), '0');
}

}  // namespace
}  // namespace evictd::enforce
