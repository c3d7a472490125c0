// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/unix_socket.h"
#include "evictd/result.h"
#include "notify/terms.h"

namespace evictd::notify {

/// The number of the eventfd behind descriptor `number` of process `pid` (0: this one); nothing if
/// there is none or it is no eventfd. Source: "eventfd-id" of /proc/PID/fdinfo/NUMBER (Linux 5.6).
///
/// fdinfo asks the file itself, and of an epoll set takes its lock, which a process can hold for as
/// long as it likes (a file of a FUSE of its own is being added). So what /proc/PID/fd/NUMBER leads
/// to is looked at first, which asks no file. What is left: a process that puts such a set in the
/// eventfd's place between the two looks.
struct EventfdLook {
  std::optional<std::uint64_t> id;
  /// Why nobody knows: the errno with which the process could not be looked at, else 0.
  int problem = 0;
};
[[nodiscard]] EventfdLook eventfd_of(pid_t pid, int number);

/// Whether `fd` is an eventfd of this process. Asks no filesystem.
[[nodiscard]] bool is_eventfd(int fd);

/// 0, or what is wrong with `directory` as the directory of a cgroup: EBADF (no directory, or not
/// open for reading), ENOTDIR (not a cgroup's). Asks no filesystem that may not answer: it may be
/// one of a process.
[[nodiscard]] int check_directory(int directory);

/// Whether a close() of `fd` is known to wait for nobody: the directory of a cgroup, which asks no
/// filesystem that may not answer and cannot be in an epoll set. An eventfd can, and its end then
/// waits for the lock of the set, which its owner can have held (see eventfd_of()).
[[nodiscard]] bool closes_at_once(int fd);

/// Whom permission bits are compared with.
struct Reader {
  uid_t uid = 0;
  /// Own and supplementary ones.
  std::vector<gid_t> groups;
};

/// Who is at the other end of the unix socket `socket`, whose credentials are `peer`, with the
/// groups of the moment of its connection. Source: SO_PEERGROUPS. Errors: as getsockopt(2).
[[nodiscard]] Result<Reader> reader_of(int socket, const base::PeerCredentials& peer);

/// Whether `reader` may read the file of `signal` in the cgroup behind `directory`, by the file's
/// owner and permission bits: 0, or EACCES, ENODEV. Root always may.
[[nodiscard]] int check_readable(int directory, evictd_notify_signal signal, const Reader& reader);

}  // namespace evictd::notify
