// SPDX-License-Identifier: Apache-2.0
#include "disk_arena.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/fd.h"
#include "evictd/try.h"
#include "must.h"

namespace evictd::daemon::test {

namespace {

constexpr Bytes kSize{192 * kMiB};
constexpr std::int64_t kInodes = 8192;

/// A new file that has all its blocks at once.
base::Fd make_file(const std::filesystem::path& path, std::int64_t bytes) {
  base::Fd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const int failure = out ? ::posix_fallocate(out.get(), 0, bytes) : errno;
  if (failure != 0) {
    must(Result<>(fail_errno(failure, "make " + path.string())));
  }
  return out;
}

std::filesystem::path empty_dir_of(const stage::StagedPod& pod, const std::filesystem::path& disk) {
  return disk / "kubelet" / "pods" / pod.uid / "volumes" / "kubernetes.io~empty-dir" /
         stage::kEmptyDirName;
}

}  // namespace

void DiskArena::SetUp() {
  Arena::SetUp();
  if (IsSkipped()) {
    return;
  }
  must(stage::own_mount_namespace());
  must(make_disk(false));
}

Result<> DiskArena::make_disk(bool project_quotas) {
  disk_.reset();
  EVICTD_ASSIGN_OR_RETURN(stage::LoopFilesystem disk,
                          stage::LoopFilesystem::create({.directory = scratch_->path(),
                                                         .size = kSize,
                                                         .inodes = kInodes,
                                                         .type = stage::FilesystemType::kExt4,
                                                         .project_quotas = project_quotas}));
  disk_ = std::move(disk);
  return {};
}

Actor& DiskArena::add_filler(const stage::PodSpec& spec, load::LoadKind kind, std::int64_t amount,
                             Manners manners) {
  stage::PodSpec with_volume = spec;
  with_volume.empty_dir = true;
  const stage::StagedPod pod = make_pod(with_volume);
  write_manifest(pod);
  const std::filesystem::path volume = empty_dir_of(pod, disk_->path());
  std::filesystem::create_directories(volume);
  prepare(volume);
  stage::LoadOptions load;
  load.binary = EVICT_LOAD;
  load.directory = scratch_->path();
  load.kind = kind;
  load.cap = amount;
  load.ignore_sigterm = manners == Manners::kStubborn;
  load.fill_directory = volume;
  actors_.push_back({pod, must(stage::LoadProcess::start(*tree_, pod, load))});
  return actors_.back();
}

Actor& DiskArena::add_holder(const stage::PodSpec& spec, std::int64_t bytes) {
  Actor& actor = add_filler(spec, load::LoadKind::kFileBytes, bytes);
  actor.load.go();
  must(actor.load.await_holding(kPatience));
  return actor;
}

std::filesystem::path DiskArena::add_ballast(std::int64_t bytes) {
  std::filesystem::path file = disk_->path() / "ballast";
  static_cast<void>(make_file(file, bytes));
  return file;
}

void DiskArena::add_immutable_file(const Actor& owner, std::int64_t bytes) {
  const base::Fd file = make_file(empty_dir_of(owner.pod, disk_->path()) / "immutable", bytes);
  const int flags = FS_EXTENT_FL | FS_IMMUTABLE_FL;
  if (::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) != 0) {
    must(Result<>(fail_errno(errno, "make a file immutable")));
  }
}

Json DiskArena::disk_config(Source source) const {
  Json config = base_config(source);
  for (const char* key : {"nodefsPath", "imagefsPath", "containerfsPath"}) {
    config[key] = disk_->path().string();
  }
  config["kubeletRootDirectory"] = (disk_->path() / "kubelet").string();
  config["podLogsDir"] = (disk_->path() / "logs").string();
  config["hardEvictionGracePeriodSeconds"] = 0;
  config["evictedPodData"] = "removeEmptyDirs";
  return config;
}

Json DiskArena::signal_in(const Json& status, std::string_view signal) {
  for (const Json& one : status["signals"]) {
    if (one["signal"] == signal) {
      return one;
    }
  }
  return nullptr;
}

}  // namespace evictd::daemon::test
