// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::base {

/// The peer of a unix socket, as the kernel saw it when the connection was made.
/// Source: SO_PEERCRED.
struct PeerCredentials {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// Errors: as getsockopt(2).
[[nodiscard]] Result<PeerCredentials> peer_credentials(int fd);

/// Creates a listening stream socket at `path` with permission bits `mode`, non-blocking and
/// close-on-exec. Replaces a stale socket file, one without a listener.
/// Errors: kBusy if another process listens there; kInvalid if the path is longer than sun_path;
/// else those of socket(2), bind(2) and listen(2).
[[nodiscard]] Result<Fd> listen_unix(const std::filesystem::path& path, mode_t mode);

/// The same with a SOCK_SEQPACKET socket. It listens as "PATH.new" before it is renamed to `path`,
/// so a client that sees `path` appear can connect.
/// Errors: as listen_unix(); also kBusy if `path` exists and is not a socket.
[[nodiscard]] Result<Fd> listen_unix_packets(const std::filesystem::path& path, mode_t mode);

/// Connects a SOCK_SEQPACKET socket; otherwise as connect_unix().
[[nodiscard]] Result<Fd> connect_unix_packets(const std::filesystem::path& path);

/// Connects a stream socket, non-blocking and close-on-exec.
/// Errors: kNotFound if there is no socket or no listener, else those of connect(2).
[[nodiscard]] Result<Fd> connect_unix(const std::filesystem::path& path);

struct RequestOptions {
  /// For connecting, sending and receiving together.
  Duration timeout = std::chrono::seconds(5);
  std::size_t max_response_bytes = std::size_t{64} * 1024 * 1024;
};

/// Sends `request` and a line end to the server at `path`. Returns the answer without its line end.
/// Blocks, at most until the timeout; for evictctl and tests.
/// Errors: as connect_unix(); kTimedOut; kMalformed if the peer closes before the line end;
/// kExhausted if the answer is too long.
[[nodiscard]] Result<std::string> request_line(const std::filesystem::path& path,
                                               std::string_view request,
                                               RequestOptions options = {});

}  // namespace evictd::base
