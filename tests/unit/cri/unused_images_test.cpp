// SPDX-License-Identifier: Apache-2.0
#include "cri/unused_images.h"

#include <gtest/gtest.h>

#include "cri/image_ages.h"

namespace evictd::cri {
namespace {

using std::chrono::minutes;

Image image(const std::string& id) {
  return {.id = id, .tags = {"r/" + id + ":1"}, .digests = {"r/" + id + "@sha256:1"}, .bytes = 10};
}
std::vector<std::string> ids(const std::vector<Image>& images) {
  std::vector<std::string> all;
  all.reserve(images.size());
  for (const Image& one : images) {
    all.push_back(one.id);
  }
  return all;
}

TEST(UnusedImages, GoNeverUsedOnesFirstThenTheLongestUnused) {
  const std::map<std::string, ImageIdleness> idleness{
      {"recent", {.known = minutes(60), .unused = minutes(5)}},
      {"long", {.known = minutes(60), .unused = minutes(50)}},
      {"never", {.known = minutes(10), .unused = {}}},
      {"never-older", {.known = minutes(20), .unused = {}}}};
  EXPECT_EQ(ids(choose_unused_images(
                {image("recent"), image("long"), image("never"), image("never-older")}, {},
                idleness, {})),
            (std::vector<std::string>{"never-older", "never", "long", "recent"}));
}

TEST(UnusedImages, NoneInUsePinnedOrYoungIsAmongThem) {
  Image pinned = image("pinned");
  pinned.is_pinned = true;
  Image pause = image("other");
  pause.tags = {"registry:5000/pause:3.9"};
  const std::vector<Image> all{
      image("by-id"), image("by-tag"),  image("by-digest"), pinned,       pause,
      image("young"), image("unknown"), image("sandbox"),   image("free")};
  std::map<std::string, ImageIdleness> idleness;
  for (const Image& one : all) {
    idleness[one.id] = {.known = minutes(60), .unused = {}};
  }
  idleness["young"].known = minutes(2) - std::chrono::milliseconds(1);
  idleness.erase("unknown");
  const ImageUse use{.containers = {{.id = "1", .image_id = "by-id"},
                                    {.id = "2", .image = "r/by-tag:1"},
                                    {.id = "3",
                                     .image_ref = "r/by-digest@sha256:1",
                                     .state = ContainerState::kExited}},
                     .sandbox_image = "r/sandbox:1"};
  EXPECT_EQ(ids(choose_unused_images(all, use, idleness, {})), std::vector<std::string>{"free"});
}

TEST(UnusedImages, OnlyWhatIsAboveTheLowThresholdIsMissing) {
  const Space space{
      .available_bytes = 1500, .capacity_bytes = 10'000, .inodes_free = 300, .inodes = 1000};
  EXPECT_EQ(missing_bytes(space, {}), 500);
  EXPECT_EQ(missing_inodes(space, {}), 0);
  EXPECT_EQ(missing_inodes(Space{}, {}), 0);
}

TEST(ImageAges, AreForgottenWithTheirImageAndFollowItsContainers) {
  const auto minute_at = [](int minute) { return MonoTime(minutes(minute)); };
  ImageAges ages;
  ages.update({image("a"), image("b")}, {{.id = "1", .image_ref = "a"}}, minute_at(1));
  ages.update({image("a"), image("b")}, {}, minute_at(5));
  EXPECT_EQ(ages.ages().at("a").first_seen, minute_at(1));
  EXPECT_EQ(ages.ages().at("a").last_used, minute_at(1));
  EXPECT_EQ(ages.ages().at("b").last_used, std::nullopt);
  ages.update({image("b")}, {}, minute_at(6));
  ages.update({image("a")}, {}, minute_at(7));
  EXPECT_EQ(ages.ages().size(), 1U);
  EXPECT_EQ(ages.ages().at("a").first_seen, minute_at(7));
}

}  // namespace
}  // namespace evictd::cri
