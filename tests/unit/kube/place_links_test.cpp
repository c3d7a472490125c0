// SPDX-License-Identifier: Apache-2.0
#include "kube/place_links.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::kube {
namespace {

namespace fs = std::filesystem;

class PlaceLinksTest : public testing::Test {
 protected:
  [[nodiscard]] std::string target_of(const std::string& name) const {
    std::error_code error;
    return fs::read_symlink(directory_.path() / name, error).string();
  }

  evictd::test::TemporaryDirectory directory_;
  PlaceLinks links_{(directory_.path() / "runtime").string()};
};

TEST_F(PlaceLinksTest, LeadWhereTheRuntimeSays) {
  links_.update({.images = "/images", .containers = "/layers"});
  EXPECT_EQ(target_of("runtime"), "/images");
  EXPECT_EQ(target_of("runtime.containers"), "/layers");
  links_.update({.images = "/other", .containers = "/layers"});
  EXPECT_EQ(target_of("runtime"), "/other");
  EXPECT_EQ(links_.problem(), "");
  EXPECT_EQ(links_.counters().changed, 2U);
}

TEST_F(PlaceLinksTest, AreMadeOnceForTheSameAnswer) {
  for (int poll = 0; poll < 3; ++poll) {
    links_.update({.images = "/images"});
  }
  EXPECT_EQ(links_.counters().changed, 1U);
}

TEST_F(PlaceLinksTest, HaveNoneForLayersThatTheRuntimeDoesNotTellOfAnyMore) {
  links_.update({.images = "/images", .containers = "/layers"});
  links_.update({.images = "/images"});
  EXPECT_EQ(target_of("runtime"), "/images");
  EXPECT_FALSE(fs::exists(fs::symlink_status(directory_.path() / "runtime.containers")));
}

TEST_F(PlaceLinksTest, StayAsTheyAreWhileTheRuntimeTellsNothingOrNonsense) {
  links_.update({.images = "/images", .containers = "/layers"});
  links_.update({});
  EXPECT_EQ(links_.problem(), "");
  for (const cri::RuntimePlaces& places :
       {cri::RuntimePlaces{.images = "images"},
        cri::RuntimePlaces{.images = std::string(5000, '/')},
        cri::RuntimePlaces{.images = std::string("/a\0b", 4)},
        cri::RuntimePlaces{.images = "/images", .containers = "layers"}}) {
    links_.update(places);
    EXPECT_NE(links_.problem(), "");
    EXPECT_EQ(target_of("runtime"), "/images");
    EXPECT_EQ(target_of("runtime.containers"), "/layers");
  }
  links_.update({.images = "/images", .containers = "/layers"});
  EXPECT_EQ(links_.problem(), "");
}

TEST_F(PlaceLinksTest, OfAnEarlierRunThatWasKilledAreReplaced) {
  fs::create_symlink("/old", directory_.path() / "runtime");
  fs::create_symlink("/half", directory_.path() / "runtime.unfinished");
  links_.update({.images = "/images"});
  EXPECT_EQ(target_of("runtime"), "/images");
  EXPECT_EQ(target_of("runtime.unfinished"), "");
}

TEST_F(PlaceLinksTest, SayWhyTheyCannotBeMadeAndAreTriedAgain) {
  PlaceLinks links((directory_.path() / "later/runtime").string());
  std::ofstream(directory_.path() / "later") << "a file";
  links.update({.images = "/images"});
  EXPECT_NE(links.problem().find("later/runtime"), std::string::npos);
  fs::remove(directory_.path() / "later");
  links.update({.images = "/images"});
  EXPECT_EQ(links.problem(), "");
  EXPECT_EQ(target_of("later/runtime"), "/images");
}

}  // namespace
}  // namespace evictd::kube
