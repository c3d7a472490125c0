// SPDX-License-Identifier: Apache-2.0
#include "counting_disk.h"

#include <sys/quota.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>

#include "sys/mount_table.h"
#include "sys/root.h"

namespace evictd::disk::test {

namespace {

constexpr int kKindOfQuota = 2;
constexpr std::uint64_t kUnitOfBlocks = 512;

[[noreturn]] void fail_with_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// mkfs.xfs makes none that is smaller than 300 MiB. The image is sparse.
constexpr Bytes kSize{std::int64_t{320} << 20};

Result<stage::LoopFilesystem> make_disk(const std::filesystem::path& directory,
                                        stage::FilesystemType type, bool project_quotas) {
  std::filesystem::create_directories(directory);
  return stage::LoopFilesystem::create({.directory = directory,
                                        .size = kSize,
                                        .inodes = 4096,
                                        .type = type,
                                        .project_quotas = project_quotas});
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Truth& truth) {
  return out << truth.bytes << " bytes in " << truth.inodes << " inodes";
}

std::string name_of(const testing::TestParamInfo<stage::FilesystemType>& type) {
  return type.param == stage::FilesystemType::kExt4 ? "ext4" : "xfs";
}

void CountingDisk::SetUp() {
  use_disk(true);
}

void CountingDisk::use_disk(bool project_quotas) {
  ASSERT_TRUE(stage::own_mount_namespace());
  Result<stage::LoopFilesystem> disk =
      make_disk(directory_.path() / "tried", GetParam(), project_quotas);
  if (!disk) {
    const Result<stage::LoopFilesystem> plain =
        make_disk(directory_.path() / "plain", stage::FilesystemType::kExt4, false);
    ASSERT_TRUE(plain) << plain.error().message();
    GTEST_SKIP() << "no such filesystem here: " << disk.error().message();
  }
  disk_.emplace(std::move(*disk));
  pace_.restart(100'000'000);
}

std::filesystem::path CountingDisk::add_volume(const std::string& uid, const std::string& name) {
  std::filesystem::path volume =
      disk_->path() / "kubelet/pods" / uid / "volumes/kubernetes.io~empty-dir" / name;
  std::filesystem::create_directories(volume);
  return volume;
}

void CountingDisk::write(const std::filesystem::path& file, std::uint64_t bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << std::string(bytes, 'x') << std::flush;
  if (!out) {
    throw std::runtime_error("write " + file.string());
  }
}

PodStorage CountingDisk::measure(const std::string& uid) {
  return PodStorageMeter(
             {.kubelet_root = disk_->path() / "kubelet", .pod_logs = disk_->path() / "logs"}, pace_)
      .measure({.uid = uid, .containers = {}});
}

Truth CountingDisk::first_volume(const PodStorage& storage) {
  const eviction::StorageUse& use = storage.statistics.volumes.at(0).use;
  return {.bytes = use.bytes.value(), .inodes = use.inodes.value()};
}

Truth CountingDisk::by_files(const std::filesystem::path& directory) {
  std::set<std::uint64_t> seen;
  Truth truth;
  const auto add = [&](const std::filesystem::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      fail_with_errno("look at " + path.string());
    }
    if (seen.insert(status.st_ino).second) {
      truth.bytes += static_cast<std::uint64_t>(status.st_blocks) * kUnitOfBlocks;
      ++truth.inodes;
    }
  };
  add(directory);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    add(entry.path());
  }
  return truth;
}

Truth CountingDisk::by_quota(std::uint32_t project) {
  dqblk quota{};
  if (::quotactl(QCMD(Q_GETQUOTA, kKindOfQuota), device().c_str(), static_cast<int>(project),
                 reinterpret_cast<caddr_t>(&quota)) != 0) {
    fail_with_errno("ask " + device() + " for a quota");
  }
  return {.bytes = quota.dqb_curspace, .inodes = quota.dqb_curinodes};
}

std::string CountingDisk::device() const {
  const std::vector<sys::Mount> mounts =
      sys::parse_mounts(sys::Root::open().value().read("/proc/self/mountinfo").value());
  return sys::mount_of(mounts, disk_->path().string())->source;
}

}  // namespace evictd::disk::test
