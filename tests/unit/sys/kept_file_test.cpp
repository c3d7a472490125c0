// SPDX-License-Identifier: Apache-2.0
#include "sys/kept_file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/fake_tree.h"

namespace evictd::sys {
namespace {

TEST(KeptFile, ReadsTheNewTextAtEachReading) {
  const test::FakeTree tree;
  tree.write("/f", "1\n");
  const KeptFile file = *KeptFile::open(*Root::open(tree.path()), "/f");
  ReadBuffer buffer{};
  EXPECT_EQ(file.read(buffer).text, "1\n");
  tree.write("/f", "22\n");
  EXPECT_EQ(file.read(buffer).text, "22\n");
}

TEST(KeptFile, RefusesATextThatFillsTheBuffer) {
  const test::FakeTree tree;
  tree.write("/f", "12345678");
  const KeptFile file = *KeptFile::open(*Root::open(tree.path()), "/f");
  std::array<char, 8> buffer{};
  const KeptText text = file.read(buffer);
  EXPECT_FALSE(text);
  EXPECT_EQ(text.sys_errno, EFBIG);
  EXPECT_FALSE(text.gone());
}

TEST(KeptFile, HoldsNothingByDefault) {
  const KeptFile file;
  ReadBuffer buffer{};
  EXPECT_FALSE(file);
  EXPECT_EQ(file.read(buffer).sys_errno, EBADF);
}

TEST(KeptFile, NamesTheFileThatIsNotThere) {
  const test::FakeTree tree;
  const Result<KeptFile> file = KeptFile::open(*Root::open(tree.path()), "/memory.stat");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::kNotFound);
  EXPECT_NE(file.error().message().find("/memory.stat"), std::string::npos);
}

}  // namespace
}  // namespace evictd::sys
