// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "disk/pace.h"
#include "disk/pod_storage.h"
#include "eviction/statistics.h"
#include "stage/loop_filesystem.h"
#include "support/temporary_directory.h"

namespace evictd::disk::test {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint32_t kProject = 1'048'577;

/// What something takes up by another measure than that of the code.
struct Truth {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;

  bool operator==(const Truth&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Truth& truth);

/// As cases are named by it.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<stage::FilesystemType>& type);

/// A filesystem of its own that counts what belongs to projects, with the directories of a kubelet
/// on it. Skips the test where the kernel has no such filesystems, though it has others.
class CountingDisk : public testing::TestWithParam<stage::FilesystemType> {
 protected:
  void SetUp() override;
  void use_disk(bool project_quotas);

  /// The emptyDir `name` of the pod `uid`, which is made.
  [[nodiscard]] std::filesystem::path add_volume(const std::string& uid, const std::string& name);
  static void write(const std::filesystem::path& file, std::uint64_t bytes);

  /// What housekeeping gets to know of a pod.
  [[nodiscard]] PodStorage measure(const std::string& uid);
  /// The first volume of what was measured.
  [[nodiscard]] static Truth first_volume(const PodStorage& storage);

  /// What is allocated to all files below a directory, itself included, each once.
  [[nodiscard]] static Truth by_files(const std::filesystem::path& directory);
  /// What the quota of a project has, by the call of quota tools: Q_GETQUOTA by the device.
  [[nodiscard]] Truth by_quota(std::uint32_t project);
  /// The block device that the filesystem is on.
  [[nodiscard]] std::string device() const;

  evictd::test::TemporaryDirectory directory_;
  std::optional<stage::LoopFilesystem> disk_;
  Pace pace_;
};

}  // namespace evictd::disk::test
