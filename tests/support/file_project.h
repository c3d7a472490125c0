// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace evictd::test {

/// Whether new files in a directory inherit its project.
enum class Inherited : std::uint8_t { kYes, kNo };

/// Assigns a directory to a project, as the kubelet and `chattr +P -p` do. Throws
/// std::system_error, which fails the test, if the filesystem has no projects.
inline void give_project(const std::filesystem::path& directory, std::uint32_t project,
                         Inherited inherited = Inherited::kYes) {
  const int open = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  fsxattr attributes{};
  bool done = ::ioctl(open, FS_IOC_FSGETXATTR, &attributes) == 0;
  attributes.fsx_projid = project;
  attributes.fsx_xflags |= inherited == Inherited::kYes ? FS_XFLAG_PROJINHERIT : 0;
  done = done && ::ioctl(open, FS_IOC_FSSETXATTR, &attributes) == 0;
  const std::error_code failure(errno, std::generic_category());
  ::close(open);
  if (!done) {
    throw std::system_error(failure, "give a project to " + directory.string());
  }
}

}  // namespace evictd::test
