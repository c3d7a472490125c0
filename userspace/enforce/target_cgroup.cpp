// SPDX-License-Identifier: Apache-2.0
#include "enforce/target_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace evictd::enforce {

namespace {

bool is(const TargetCgroup& cgroup, const struct stat& status) {
  return status.st_ino == cgroup.id.id && status.st_dev == cgroup.device;
}

}  // namespace

base::Fd TargetCgroup::open_directory() const {
  base::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) {
    return directory;
  }
  struct stat status = {};
  if (::fstat(directory.get(), &status) != 0 || !is(*this, status)) {
    directory.reset();
    errno = ENOENT;
  }
  return directory;
}

std::optional<std::uint32_t> TargetCgroup::count_children() const {
  struct stat status = {};
  if (::fstatat(AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !is(*this, status)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(status.st_nlink - std::min(status.st_nlink, kLinksOfItself));
}

}  // namespace evictd::enforce
