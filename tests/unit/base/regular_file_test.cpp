// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/read_up_to.h"
#include "base/write_all.h"

namespace evictd::base {
namespace {

class RegularFileTest : public testing::Test {
 protected:
  RegularFileTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("regular_file_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  [[nodiscard]] std::filesystem::path at(const char* name) const { return directory_ / name; }

  std::filesystem::path directory_;
};

TEST_F(RegularFileTest, ItsBytesAreReadAsTheyAre) {
  const std::string bytes("a\r\n\0\xff", 5);
  std::ofstream(at("file"), std::ios::binary) << bytes;
  const Result<Fd> in = open_regular_file(at("file"));
  ASSERT_TRUE(in) << in.error().message();
  EXPECT_EQ(read_up_to(in->get(), 100, "file").value(), bytes);
}

TEST_F(RegularFileTest, ADirectoryADeviceAndAFifoAreRefused) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0) << std::strerror(errno);
  for (const std::filesystem::path& path :
       {directory_, std::filesystem::path("/dev/full"), at("fifo")}) {
    const Result<Fd> in = open_regular_file(path);
    ASSERT_FALSE(in) << path;
    EXPECT_EQ(in.error().code, Errc::kInvalid);
    EXPECT_EQ(in.error().message(), "read " + path.string() + ": not a regular file");
  }
}

TEST_F(RegularFileTest, IsMadeForWritingAndWrittenAsItsFlagsSay) {
  for (const int flags : {O_WRONLY, O_WRONLY | O_APPEND, O_WRONLY | O_TRUNC}) {
    const Result<Fd> out = open_regular_file_to_write(at("file"), flags, 0600);
    ASSERT_TRUE(out) << out.error().message();
    EXPECT_TRUE(write_all(out->get(), "abc", "file"));
  }
  EXPECT_EQ(std::filesystem::file_size(at("file")), 3U);
  EXPECT_EQ(std::filesystem::status(at("file")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(RegularFileTest, NothingElseIsWrittenToAndNoReaderIsWaitedFor) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0) << std::strerror(errno);
  std::filesystem::create_symlink(at("fifo"), at("link"));
  const Fd reader(::open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  for (const std::filesystem::path& path :
       {directory_, std::filesystem::path("/dev/full"), at("fifo"), at("link")}) {
    EXPECT_TRUE(is_no_regular_file(path)) << path;
    const Result<Fd> out = open_regular_file_to_write(path, O_WRONLY, 0600);
    ASSERT_FALSE(out) << path;
    EXPECT_EQ(out.error().code, Errc::kInvalid);
    EXPECT_EQ(out.error().message(), "open " + path.string() + ": not a regular file");
  }
  EXPECT_FALSE(is_no_regular_file(at("missing")));
}

TEST_F(RegularFileTest, AMissingFileIsNotFound) {
  const Result<Fd> in = open_regular_file(at("missing"));
  ASSERT_FALSE(in);
  EXPECT_EQ(in.error().code, Errc::kNotFound);
  EXPECT_TRUE(in.error().message().starts_with("read " + at("missing").string()))
      << in.error().message();
}

}  // namespace
}  // namespace evictd::base
