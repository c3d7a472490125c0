// SPDX-License-Identifier: Apache-2.0
#include "stage/memory_filesystem.h"

#include <sys/mount.h>

#include <cerrno>
#include <system_error>

namespace evictd::stage {

Result<MemoryFilesystem> MemoryFilesystem::create(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, nullptr) != 0) {
    return fail_errno(errno, "mount a tmpfs on " + path.string());
  }
  return MemoryFilesystem{path};
}

}  // namespace evictd::stage
