// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/read_up_to.h"

namespace evictd::base {
namespace {

class RegularFileTest : public testing::Test {
 protected:
  RegularFileTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("regular_file_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~RegularFileTest() override { std::filesystem::remove_all(directory_); }
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

TEST_F(RegularFileTest, AMissingFileIsNotFound) {
  const Result<Fd> in = open_regular_file(at("missing"));
  ASSERT_FALSE(in);
  EXPECT_EQ(in.error().code, Errc::kNotFound);
  EXPECT_TRUE(in.error().message().starts_with("read " + at("missing").string()))
      << in.error().message();
}

}  // namespace
}  // namespace evictd::base
