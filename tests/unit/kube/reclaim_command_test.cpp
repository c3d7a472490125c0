// SPDX-License-Identifier: Apache-2.0
#include "kube/reclaim_command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/system_clock.h"
#include "support/temporary_directory.h"

namespace evictd::kube {
namespace {

constexpr const char* kUid = "0f0f0f0f-1111-2222-3333-444444444444";

class GoneByManifests : public testing::Test {
 protected:
  void write(const std::string& name) { std::ofstream(directory_.path() / name) << "x"; }
  [[nodiscard]] bool is_gone(const std::string& uid) const {
    return gone_by_manifests(directory_.path().string(), base::SystemClock{}.wall_now())(uid);
  }

  evictd::test::TemporaryDirectory directory_;
};

TEST_F(GoneByManifests, IsAPodWithoutAManifestOnceTheyAreConfirmed) {
  EXPECT_FALSE(is_gone(kUid));
  write(".confirmed");
  EXPECT_TRUE(is_gone(kUid));
  write(std::string(kUid) + ".json");
  EXPECT_FALSE(is_gone(kUid));
}

TEST_F(GoneByManifests, IsNobodyByAnOldConfirmation) {
  write(".confirmed");
  std::filesystem::last_write_time(
      directory_.path() / ".confirmed",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(is_gone(kUid));
}

TEST_F(GoneByManifests, IsNeitherAStaticPodNorWhoseUidIsNoNameOfAFile) {
  write(".confirmed");
  EXPECT_FALSE(is_gone("0123456789abcdef0123456789abcdef"));
  EXPECT_FALSE(is_gone("../x"));
  EXPECT_FALSE(is_gone(""));
}

TEST(ReclaimCommand, NeedsARuntimeAndSaysSo) {
  const auto sum = reclaim_containers(KubeSettings{}, base::SystemClock{});
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().message().rfind("runtime.endpoint: none", 0), 0U);
}

}  // namespace
}  // namespace evictd::kube
