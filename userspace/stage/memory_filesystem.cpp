// SPDX-License-Identifier: Apache-2.0
#include "stage/memory_filesystem.h"

#include <sys/mount.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace evictd::stage {

Result<MemoryFilesystem> MemoryFilesystem::create(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, nullptr) != 0) {
    return fail_errno(errno, "mount a tmpfs on " + path.string());
  }
  return MemoryFilesystem{path};
}

MemoryFilesystem::MemoryFilesystem(MemoryFilesystem&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

MemoryFilesystem& MemoryFilesystem::operator=(MemoryFilesystem&& other) noexcept {
  if (this != &other) {
    unmount();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

MemoryFilesystem::~MemoryFilesystem() {
  unmount();
}

void MemoryFilesystem::unmount() {
  if (!path_.empty()) {
    ::umount2(path_.c_str(), MNT_DETACH);
    path_.clear();
  }
}

}  // namespace evictd::stage
