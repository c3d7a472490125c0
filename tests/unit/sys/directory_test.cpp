// SPDX-License-Identifier: Apache-2.0
#include "sys/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/fake_tree.h"

namespace evictd::sys {
namespace {

using testing::ElementsAre;

class HeldDirectory : public testing::Test {
 protected:
  HeldDirectory() { files_.make_directory("/top"); }
  [[nodiscard]] Directory top() const { return *Directory::open(root_, "/top"); }

  [[nodiscard]] static std::vector<std::string> names_in(const Directory& directory) {
    const Result<std::vector<Directory::Entry>> entries = directory.directories();
    std::vector<std::string> names;
    for (const Directory::Entry& entry : *entries) {
      names.push_back(entry.name);
    }
    return names;
  }

  test::FakeTree files_;
  Root root_ = *Root::open(files_.path());
};

TEST_F(HeldDirectory, ListsItsDirectoriesInOrderAndAsOftenAsAsked) {
  files_.make_directory("/top/b/deep");
  files_.make_directory("/top/a");
  files_.write("/top/file", "x");
  files_.link("/top/link", "a");
  const Directory directory = top();
  EXPECT_THAT(names_in(directory), ElementsAre("a", "b"));
  files_.make_directory("/top/c");
  EXPECT_THAT(names_in(directory), ElementsAre("a", "b", "c"));
}

TEST_F(HeldDirectory, ListsMoreThanOneCallOfTheKernelGives) {
  constexpr std::size_t kMany = 300;
  for (std::size_t i = 0; i < kMany; ++i) {
    files_.make_directory("/top/" + std::string(100, 'd') + std::to_string(i));
  }
  EXPECT_EQ(names_in(top()).size(), kMany);
}

TEST_F(HeldDirectory, IsTheSameOneAfterItsPathWasGivenToAnother) {
  files_.make_directory("/top/old");
  const Directory directory = top();
  files_.rename("/top", "/aside");
  files_.make_directory("/top/new");
  EXPECT_THAT(names_in(directory), ElementsAre("old"));
  EXPECT_TRUE(directory.look_at("old"));
}

TEST_F(HeldDirectory, TellsTheIdOfWhatIsInItAndOpensThat) {
  files_.write("/top/a/file", "text\n");
  const Directory directory = top();
  const Result<Directory::Look> look = directory.look_at("a");
  ASSERT_TRUE(look);
  const Result<Directory> below = directory.open_directory("a");
  ASSERT_TRUE(below);
  EXPECT_EQ(below->read("file").value(), "text\n");
  EXPECT_EQ(directory.read("a/file").value(), "text\n");
  EXPECT_TRUE(directory.has_text("a/file").value());
  files_.write("/top/a/file", "");
  EXPECT_FALSE(directory.has_text("a/file").value());
}

TEST_F(HeldDirectory, CountsTheDirectoriesInWhatItLooksAt) {
  files_.make_directory("/top/a/b/c");
  files_.make_directory("/top/a/d");
  files_.write("/top/a/file", "x");
  const Directory directory = top();
  EXPECT_EQ(directory.look_at("a")->directories, 2U);
  EXPECT_EQ(directory.look_at("a/b")->directories, 1U);
  const Directory::Look deepest = directory.look_at("a/b/c").value();
  EXPECT_EQ(deepest.directories, 0U);
  EXPECT_FALSE(deepest.may_have_directories());
  EXPECT_EQ(directory.look_at("a/file")->directories, std::nullopt) << "is none";
  EXPECT_EQ(name_below("a", "b"), "a/b");
  EXPECT_EQ(name_below("", "b"), "b");
}

TEST_F(HeldDirectory, FollowsNoLinkAndNamesWhatIsNotThere) {
  files_.make_directory("/elsewhere");
  files_.link("/top/link", "/elsewhere");
  const Directory directory = top();
  EXPECT_FALSE(directory.open_directory("link"));
  EXPECT_EQ(directory.open_directory("none").error().code, Errc::kNotFound);
  EXPECT_EQ(directory.look_at("none").error().code, Errc::kNotFound);
  EXPECT_EQ(directory.has_text("none").error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::sys
