// SPDX-License-Identifier: Apache-2.0
#include "daemon/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace evictd::daemon {

Result<InstanceLock> InstanceLock::acquire(const std::string& directory) {
  base::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "open " + directory);
  }
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(Errc::kBusy, directory + " is already watched by another evictd");
    }
    return fail_errno(errno, "lock " + directory);
  }
  return InstanceLock(std::move(fd));
}

}  // namespace evictd::daemon
