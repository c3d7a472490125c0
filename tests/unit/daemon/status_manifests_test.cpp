// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_manifests.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/temporary_directory.h"

namespace evictd::daemon {
namespace {

class StatusManifests : public testing::Test {
 protected:
  /// Makes `.confirmed`, with this mtime.
  void confirm(std::time_t at) {
    std::ofstream(file_).flush();
    const std::array<timespec, 2> times{timespec{at, 0}, timespec{at, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times.data(), 0), 0);
  }
  [[nodiscard]] nlohmann::ordered_json age_at(std::chrono::seconds now) const {
    return manifests_json({directory_.path().string()}, WallTime{now})[0]["confirmed_ms_ago"];
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / kConfirmedFile;
};

TEST_F(StatusManifests, AreAsOldAsTheirSourceSays) {
  confirm(1000);
  EXPECT_EQ(age_at(std::chrono::seconds(1003)), 3000);
  EXPECT_EQ(age_at(std::chrono::seconds(999)), 0) << "a clock that was set back";
}

TEST_F(StatusManifests, HaveNoAgeWhereNobodyTells) {
  EXPECT_TRUE(age_at(std::chrono::seconds(1)).is_null()) << "no file";
  confirm(0);
  EXPECT_TRUE(age_at(std::chrono::seconds(1)).is_null()) << "nothing was confirmed yet";
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_TRUE(age_at(std::chrono::seconds(1)).is_null()) << "no file";
}

}  // namespace
}  // namespace evictd::daemon
