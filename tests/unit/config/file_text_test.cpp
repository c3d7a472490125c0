// SPDX-License-Identifier: Apache-2.0
#include "config/file_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temporary_directory.h"

namespace evictd::config {
namespace {

class FileText : public testing::Test {
 protected:
  std::string read_after_writing(std::size_t size, std::size_t limit) {
    const std::filesystem::path file = directory_.path() / "file";
    std::ofstream(file) << std::string(size, 'a');
    const Result<std::string> text = read_file(file, limit);
    return text ? *text : "error: " + text.error().context;
  }

 private:
  evictd::test::TemporaryDirectory directory_;
};

TEST_F(FileText, IsThatOfTheFile) {
  EXPECT_EQ(read_after_writing(0, 100), "");
  EXPECT_EQ(read_after_writing(99, 100), std::string(99, 'a'));
  EXPECT_EQ(read_after_writing(100, 100), std::string(100, 'a'));
}

TEST_F(FileText, IsCutOneByteBehindTheLimit) {
  EXPECT_EQ(read_after_writing(101, 100), std::string(101, 'a'));
  EXPECT_EQ(read_after_writing(5000, 100), std::string(101, 'a'));
}

TEST_F(FileText, IsReadToItsEndWhereTheKernelSaysThatTheFileIsEmpty) {
  const Result<std::string> text = read_file("/proc/self/status", 1U << 20U);

  ASSERT_TRUE(text) << text.error().context;
  EXPECT_NE(text->find("\nnonvoluntary_ctxt_switches:"), std::string::npos) << *text;
}

}  // namespace
}  // namespace evictd::config
