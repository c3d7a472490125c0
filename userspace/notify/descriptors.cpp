// SPDX-License-Identifier: Apache-2.0
#include "notify/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/read_up_to.h"

namespace evictd::notify {
namespace {

constexpr std::size_t kLongestFdinfo = 4096;

/// v2's name first; the first existing name is used.
std::array<const char*, 2> files_of(evictd_notify_signal signal) {
  switch (signal) {
    case EVICTD_NOTIFY_PIDS:
      return {"pids.current", "cgroup.procs"};
    case EVICTD_NOTIFY_WORKING_SET:
      return {"memory.stat", "cgroup.procs"};
    case EVICTD_NOTIFY_OOM:
      return {"memory.events", "memory.oom_control"};
    case EVICTD_NOTIFY_PRESSURE:
      return {"memory.stat", "cgroup.procs"};
    default:
      return {"memory.current", "memory.usage_in_bytes"};
  }
}

bool may_read(const struct stat& status, const Reader& reader) {
  if (status.st_uid == reader.uid) {
    return (status.st_mode & S_IRUSR) != 0;
  }
  const bool is_of_group =
      std::find(reader.groups.begin(), reader.groups.end(), status.st_gid) != reader.groups.end();
  return (status.st_mode & (is_of_group ? S_IRGRP : S_IROTH)) != 0;
}

/// From the kernel's own data, without calling into the file's filesystem.
bool is_directory(int fd) {
  struct statx status {};
  return ::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 &&
         S_ISDIR(status.stx_mode);
}

/// FILEID_KERNFS of linux/exportfs.h: the handle type of cgroups, and of sysfs.
constexpr int kKernfsHandle = 0xfe;

/// The kernel's own code creates a handle, for FUSE too.
bool is_of_kernfs(int fd) {
  alignas(file_handle) std::array<std::byte, sizeof(file_handle) + MAX_HANDLE_SZ> room{};
  auto* const handle = new (room.data()) file_handle;
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  return ::name_to_handle_at(fd, "", handle, &mount, AT_EMPTY_PATH) == 0 &&
         handle->handle_type == kKernfsHandle;
}

/// 0 if descriptor `number` of `process` is an eventfd, ENOENT if it is not or is closed, else the
/// errno why it is unknown. Calls into no file.
int look_for_eventfd(std::string_view process, int number) {
  constexpr std::string_view kEventfd = "anon_inode:[eventfd]";
  // One byte larger than the name, so that a longer name differs.
  std::array<char, kEventfd.size() + 1> name{};
  const std::string link = fmt::format("/proc/{}/fd/{}", process, number);
  const ssize_t length = ::readlink(link.c_str(), name.data(), name.size());
  if (length < 0) {
    return errno == ESRCH ? ENOENT : errno;
  }
  return std::string_view(name.data(), static_cast<std::size_t>(length)) == kEventfd ? 0 : ENOENT;
}

}  // namespace

EventfdIdentity eventfd_of(pid_t pid, int number) {
  const std::string process = pid == 0 ? "self" : std::to_string(pid);
  if (const int problem = look_for_eventfd(process, number); problem != 0) {
    return {.id = std::nullopt, .problem = problem == ENOENT ? 0 : problem};
  }
  const std::string path = fmt::format("/proc/{}/fdinfo/{}", process, number);
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return {.id = std::nullopt, .problem = errno == ENOENT || errno == ESRCH ? 0 : errno};
  }
  const Result<std::string> text = base::read_up_to(file.get(), kLongestFdinfo, path);
  if (!text) {
    const int problem = text.error().sys_errno != 0 ? text.error().sys_errno : EIO;
    return {.id = std::nullopt, .problem = text.error().code == Errc::kNotFound ? 0 : problem};
  }
  constexpr std::string_view kKey = "eventfd-id:";
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = text->find_first_not_of(' ', at + kKey.size());
  std::uint64_t id = 0;
  const char* const end = text->data() + text->size();
  if (begin == std::string::npos ||
      std::from_chars(text->data() + begin, end, id).ec != std::errc{}) {
    return {};
  }
  return {.id = id, .problem = 0};
}

bool is_eventfd(int fd) {
  return look_for_eventfd("self", fd) == 0;
}

int check_directory(int directory) {
  const int flags = ::fcntl(directory, F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0 || !is_directory(directory)) {
    return EBADF;
  }
  struct statfs system {};
  if (!is_of_kernfs(directory) || ::fstatfs(directory, &system) != 0) {
    return ENOTDIR;
  }
  const bool cgroup = system.f_type == CGROUP_SUPER_MAGIC || system.f_type == CGROUP2_SUPER_MAGIC;
  return cgroup ? 0 : ENOTDIR;
}

bool closes_at_once(int fd) {
  return check_directory(fd) == 0;
}

Result<Reader> reader_of(int socket, const base::PeerCredentials& peer) {
  Reader reader{.uid = peer.uid, .groups = {}};
  socklen_t bytes = 0;
  // The kernel reports the number of groups if they do not fit; none fit into an empty buffer.
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nullptr, &bytes) != 0 && errno != ERANGE) {
    return fail_errno(errno, "count the groups of a peer");
  }
  reader.groups.resize(bytes / sizeof(gid_t));
  if (bytes != 0 &&
      ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, reader.groups.data(), &bytes) != 0) {
    return fail_errno(errno, "read the groups of a peer");
  }
  reader.groups.push_back(peer.gid);
  return reader;
}

int check_readable(int directory, evictd_notify_signal signal, const Reader& reader) {
  if (reader.uid == 0) {
    return 0;
  }
  for (const char* file : files_of(signal)) {
    struct stat status {};
    if (::fstatat(directory, file, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      return may_read(status, reader) ? 0 : EACCES;
    }
  }
  // A cgroup without that file: whether its processes are readable decides.
  struct stat status {};
  if (::fstatat(directory, "cgroup.procs", &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return ENODEV;
  }
  return may_read(status, reader) ? 0 : EACCES;
}

}  // namespace evictd::notify
