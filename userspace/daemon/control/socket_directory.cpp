// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/socket_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "evictd/try.h"

namespace evictd::daemon {

namespace {

constexpr mode_t kMode = 0755;

Result<> make(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (directory.empty() || std::filesystem::is_directory(directory, ignored)) {
    return {};
  }
  EVICTD_TRY(make(directory.parent_path()));
  if (::mkdir(directory.c_str(), kMode) != 0) {
    // Another process may just have created it, with its own mode.
    return errno == EEXIST && std::filesystem::is_directory(directory, ignored)
               ? Result<>()
               : fail_errno(errno, "make the directory " + directory.string());
  }
  if (::chmod(directory.c_str(), kMode) != 0) {
    return fail_errno(errno, "make the directory " + directory.string());
  }
  return {};
}

}  // namespace

Result<> make_socket_directory(const std::filesystem::path& socket) {
  return make(socket.lexically_normal().parent_path());
}

}  // namespace evictd::daemon
