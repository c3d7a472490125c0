// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/instance_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "daemon/control/socket_directory.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

constexpr const char* kFile = "/pod-roots.lock";
constexpr mode_t kForOthers = S_IRWXG | S_IRWXO;

/// Errors: kPermission for a file that other users could lock too.
Result<base::Fd> open_file(const std::string& path) {
  base::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  struct stat status = {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, "open the lock file " + path);
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & kForOthers) != 0) {
    return fail(Errc::kPermission, "the lock file " + path +
                                       " is accessible to others; expected a regular file of this "
                                       "user, mode 0600");
  }
  return fd;
}

/// One byte; offsets have 63 bits, which the ids of cgroups do not exhaust.
struct flock byte_of(CgroupId cgroup) {
  struct flock byte = {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start =
      static_cast<off_t>(cgroup.id & static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()));
  byte.l_len = 1;
  return byte;
}

}  // namespace

Result<InstanceLock> InstanceLock::acquire(const Options& options) {
  const std::string path = options.lock_directory + kFile;
  EVICTD_TRY(make_socket_directory(path));
  EVICTD_ASSIGN_OR_RETURN(base::Fd file, open_file(path));
  // The lock belongs to the open file description. So two in one process exclude each other too,
  // and closing another descriptor of the file does not release it.
  struct flock byte = byte_of(options.cgroup);
  if (::fcntl(file.get(), F_OFD_SETLK, &byte) != 0) {
    if (errno == EAGAIN || errno == EACCES) {
      return fail(Errc::kBusy, options.directory + " is already watched by another evictd");
    }
    return fail_errno(errno, "lock " + path);
  }
  return InstanceLock(std::move(file));
}

}  // namespace evictd::daemon
