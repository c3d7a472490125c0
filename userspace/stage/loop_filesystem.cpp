// SPDX-License-Identifier: Apache-2.0
#include "stage/loop_filesystem.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "evictd/try.h"
#include "stage/child.h"
#include "stage/text_file.h"

namespace evictd::stage {
namespace {

constexpr std::chrono::seconds kPatience{60};

Result<> run(const std::filesystem::path& directory, std::vector<std::string> argv) {
  const std::filesystem::path output = directory / "mount.log";
  const std::string name = argv.front();
  EVICTD_ASSIGN_OR_RETURN(Child child, Child::start({.argv = std::move(argv), .output = output}));
  EVICTD_ASSIGN_OR_RETURN(const ChildExit end, child.wait(kPatience));
  if (end.status != 0) {
    return fail(Errc::kIo, name + " ended with " + end.text() + ": " +
                               read_text(output).value_or(std::string{}));
  }
  return {};
}

/// A sparse file that uses only the space written to it.
Result<> make_image(const std::filesystem::path& image, Bytes size) {
  const base::Fd file{::open(image.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!file || ::ftruncate(file.get(), size.value) != 0) {
    return fail_errno(errno, "make " + image.string());
  }
  return {};
}

std::vector<std::string> mkfs_command(const LoopFilesystemOptions& options,
                                      const std::string& image) {
  if (options.type == FilesystemType::kXfs) {
    return {"/sbin/mkfs.xfs", "-q", "-f", image};
  }
  const char* features = options.project_quotas ? "^has_journal,quota,project" : "^has_journal";
  const std::string inodes = std::to_string(options.inodes);
  return {"/sbin/mkfs.ext4", "-q", "-F", "-m", "0", "-O", features, "-N", inodes, image};
}

std::vector<std::string> mount_command(const LoopFilesystemOptions& options,
                                       const std::string& image, const std::string& path) {
  const char* type = options.type == FilesystemType::kXfs ? "xfs" : "ext4";
  const char* how = options.project_quotas ? "loop,nosuid,nodev,prjquota" : "loop,nosuid,nodev";
  return {"/bin/mount", "-t", type, "-o", how, image, path};
}

}  // namespace

Result<LoopFilesystem> LoopFilesystem::create(const LoopFilesystemOptions& options) {
  if (::geteuid() != 0) {
    return fail(Errc::kPermission, "a filesystem is mounted by root only");
  }
  const std::filesystem::path image = options.directory / "disk.img";
  const std::filesystem::path path = options.directory / "disk";
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  Result<> done = make_image(image, options.size);
  if (done) {
    done = run(options.directory, mkfs_command(options, image));
  }
  if (done) {
    done = run(options.directory, mount_command(options, image, path));
  }
  std::filesystem::remove(image, failed);
  EVICTD_TRY(std::move(done));
  return LoopFilesystem{path};
}

Result<Fullness> LoopFilesystem::fullness() const {
  return fullness_of(path());
}

Result<Fullness> fullness_of(const std::filesystem::path& path) {
  struct statvfs answer {};
  if (::statvfs(path.c_str(), &answer) != 0) {
    return fail_errno(errno, "statfs " + path.string());
  }
  return Fullness{.available = Bytes{static_cast<std::int64_t>(answer.f_bavail * answer.f_frsize)},
                  .inodes_free = static_cast<std::int64_t>(answer.f_ffree)};
}

Result<> own_mount_namespace() {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return fail_errno(errno, "make a mount namespace");
  }
  return {};
}

}  // namespace evictd::stage
