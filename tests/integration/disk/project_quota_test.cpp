// SPDX-License-Identifier: Apache-2.0
// What is told of directories that the filesystem counts, and of those that it does not.
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "counting_disk.h"
#include "support/file_project.h"

namespace evictd::disk::test {
namespace {

using evictd::test::give_project;
using evictd::test::Inherited;

/// Files, a directory, a file with three names, a symbolic link and a file with a hole.
void fill(const std::filesystem::path& volume) {
  const auto write = [&](const char* name, std::uint64_t bytes) {
    std::filesystem::create_directories((volume / name).parent_path());
    const base::Fd file(::open((volume / name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string text(bytes, 'x');
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(bytes));
  };
  write("one", 1 * kMiB);
  write("below/two", 300'000);
  write("below/deeper/three", 10);
  std::filesystem::create_hard_link(volume / "one", volume / "below/one");
  std::filesystem::create_hard_link(volume / "one", volume / "below/deeper/one");
  std::filesystem::create_symlink("/etc", volume / "link");
  write("hole", 4096);
  std::filesystem::resize_file(volume / "hole", 16 * kMiB);
}

class ProjectQuota : public CountingDisk {};
INSTANTIATE_TEST_SUITE_P(On, ProjectQuota,
                         testing::Values(stage::FilesystemType::kExt4, stage::FilesystemType::kXfs),
                         name_of);

TEST_P(ProjectQuota, AVolumeTakesWhatItsFilesAndTheQuotaOfItsProjectSay) {
  const std::filesystem::path volume = add_volume("u1", "data");
  give_project(volume, kProject);
  fill(volume);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kQuota);
  EXPECT_TRUE(storage.complete);
  EXPECT_EQ(first_volume(storage), by_quota(kProject));
  EXPECT_EQ(first_volume(storage), by_files(volume));
  EXPECT_EQ(first_volume(storage).inodes, 8U) << "a file counts once however many names it has";
  EXPECT_GT(first_volume(storage).bytes, kMiB);
  EXPECT_LT(first_volume(storage).bytes, 2 * kMiB) << "a hole takes nothing";
}

TEST_P(ProjectQuota, WhatIsDeletedAndStillOpenCounts) {
  const std::filesystem::path volume = add_volume("u1", "data");
  give_project(volume, kProject);
  write(volume / "log", 4 * kMiB);
  const base::Fd open(::open((volume / "log").c_str(), O_RDONLY | O_CLOEXEC));
  const Truth whole = by_files(volume);
  std::filesystem::remove(volume / "log");

  EXPECT_EQ(first_volume(measure("u1")), whole);

  EXPECT_LT(by_files(volume).bytes, kMiB) << "no walk finds it";
}

TEST_P(ProjectQuota, NothingIsLookedAtBelowTheVolume) {
  const std::filesystem::path volume = add_volume("u1", "data");
  give_project(volume, kProject);
  write(volume / "one", 1 * kMiB);
  const Truth own = by_files(volume);
  // A walk would find what belongs to somebody else.
  std::filesystem::create_directory(volume / "foreign");
  give_project(volume / "foreign", kProject + 1);
  write(volume / "foreign/two", 2 * kMiB);
  // And would be cut short at the first entry.
  pace_.allow_steps(0);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kQuota);
  EXPECT_TRUE(storage.complete);
  EXPECT_FALSE(storage.cut_short);
  EXPECT_EQ(first_volume(storage), own);
}

TEST_P(ProjectQuota, VolumesAndLogsHaveEachTheirOwn) {
  const std::filesystem::path volume = add_volume("u1", "data");
  const std::filesystem::path other = add_volume("u1", "more");
  const std::filesystem::path logs = disk_->path() / "logs/default_web_u1/main";
  std::filesystem::create_directories(logs);
  give_project(volume, kProject);
  give_project(other, kProject + 1);
  give_project(logs, kProject + 2);
  write(volume / "one", 1 * kMiB);
  write(other / "two", 2 * kMiB);
  write(logs / "0.log", 3 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kQuota);
  EXPECT_EQ(storage.statistics.volumes.at(0).use.bytes, by_files(volume).bytes);
  EXPECT_EQ(storage.statistics.volumes.at(1).use.bytes, by_files(other).bytes);
  EXPECT_EQ(storage.statistics.containers.at(0).logs->bytes, by_files(logs).bytes);
}

TEST_P(ProjectQuota, APodOfWhichOnlyAPartIsCountedWasWalked) {
  const std::filesystem::path counted = add_volume("u1", "counted");
  const std::filesystem::path plain = add_volume("u1", "plain");
  give_project(counted, kProject);
  write(counted / "one", 1 * kMiB);
  write(plain / "two", 2 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(storage.statistics.volumes.at(0).use.bytes, by_files(counted).bytes);
  EXPECT_EQ(storage.statistics.volumes.at(1).use.bytes, by_files(plain).bytes);
}

TEST_P(ProjectQuota, WithoutAProjectAVolumeIsWalked) {
  const std::filesystem::path volume = add_volume("u1", "data");
  fill(volume);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(first_volume(storage), by_files(volume));
}

TEST_P(ProjectQuota, AProjectOfEverythingAroundItIsNotItsOwn) {
  std::filesystem::create_directories(disk_->path() / "kubelet");
  give_project(disk_->path() / "kubelet", kProject);
  const std::filesystem::path volume = add_volume("u1", "data");
  write(volume / "one", 1 * kMiB);
  write(add_volume("u2", "data") / "two", 2 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(first_volume(storage), by_files(volume));
  EXPECT_NE(first_volume(storage), by_quota(kProject));
}

TEST_P(ProjectQuota, TwoVolumesOfAPodWithOneProjectDoNotCountTwice) {
  const std::filesystem::path volume = add_volume("u1", "data");
  const std::filesystem::path other = add_volume("u1", "more");
  give_project(volume, kProject);
  give_project(other, kProject);
  write(volume / "one", 1 * kMiB);
  write(other / "two", 2 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(storage.statistics.volumes.at(0).use.bytes, by_files(volume).bytes);
  EXPECT_EQ(storage.statistics.volumes.at(1).use.bytes, by_files(other).bytes);
}

TEST_P(ProjectQuota, APodDoesNotAnswerForAnotherOneWithTheSameProject) {
  const std::filesystem::path volume = add_volume("u1", "data");
  const std::filesystem::path other = add_volume("u2", "data");
  give_project(volume, kProject);
  give_project(other, kProject);
  write(volume / "one", 1 * kMiB);
  write(other / "two", 2 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(first_volume(storage), by_files(volume));
}

TEST_P(ProjectQuota, ADirectoryWhoseFilesDoNotFollowItIsWalked) {
  const std::filesystem::path volume = add_volume("u1", "data");
  give_project(volume, kProject, Inherited::kNo);
  write(volume / "one", 1 * kMiB);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(first_volume(storage), by_files(volume));
}

/// Files of xfs have projects also where it does not count them.
class DiskWithoutQuotas : public CountingDisk {
 protected:
  void SetUp() override { use_disk(false); }
};
INSTANTIATE_TEST_SUITE_P(On, DiskWithoutQuotas, testing::Values(stage::FilesystemType::kXfs),
                         name_of);

TEST_P(DiskWithoutQuotas, AVolumeWithAProjectIsWalked) {
  const std::filesystem::path volume = add_volume("u1", "data");
  give_project(volume, kProject);
  fill(volume);

  const PodStorage storage = measure("u1");

  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_EQ(first_volume(storage), by_files(volume));
}

}  // namespace
}  // namespace evictd::disk::test
