// SPDX-License-Identifier: Apache-2.0
#include "base/unix_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "evictd/try.h"

namespace evictd::base {
namespace {

using Clock = std::chrono::steady_clock;

/// A socket file has few clients with short requests; more than this wait in connect().
constexpr int kBacklog = 64;

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.empty() || text.size() >= sizeof(address.sun_path)) {
    return fail(Errc::kInvalid, fmt::format("socket path {} has {} bytes; allowed: 1 to {}", text,
                                            text.size(), sizeof(address.sun_path) - 1));
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<Fd> make_socket(int type = SOCK_STREAM) {
  Fd fd(::socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    return fail_errno(errno, "make a unix socket");
  }
  return fd;
}

/// Binds. From its first moment the socket file has no more permission bits than `mode`, and
/// exactly `mode` afterwards, whatever the umask.
Result<> bind_with_mode(int fd, const sockaddr_un& address, mode_t mode) {
  const std::string context = fmt::format("bind {}", address.sun_path);
  // bind() creates the file with the mode of the unbound socket.
  if (::fchmod(fd, mode) != 0 || ::bind(fd, generic(address), sizeof(address)) != 0 ||
      ::chmod(address.sun_path, mode) != 0) {
    return fail_errno(errno, context);
  }
  return {};
}

/// Removes a socket file that a killed process left behind.
/// Errors: kBusy if another process listens there or it is not a socket.
Result<> remove_stale(const std::filesystem::path& path) {
  if (connect_unix(path)) {
    return fail(Errc::kBusy, fmt::format("another process listens on {}", path.string()));
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
    return fail(Errc::kBusy, fmt::format("{} is not a socket", path.string()));
  }
  if (::unlink(path.c_str()) != 0) {
    return fail_errno(errno, fmt::format("remove the stale {}", path.string()));
  }
  return {};
}

/// Waits for `events` until `deadline`.
Result<> wait_for(int fd, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return fail(Errc::kTimedOut, "no answer in time");
    }
    pollfd waited{.fd = fd, .events = events, .revents = 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(left));
    if (ready > 0) {
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return fail_errno(errno, "poll");
    }
  }
}

Result<> send_all(int fd, std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    // A server that refuses the request may have answered already: continues to read.
    if (errno == EPIPE || errno == ECONNRESET) {
      return {};
    }
    if (errno != EAGAIN && errno != EINTR) {
      return fail_errno(errno, "send");
    }
    EVICTD_TRY(wait_for(fd, POLLOUT, deadline));
  }
  return {};
}

Result<std::string> receive_line(int fd, std::size_t limit, Clock::time_point deadline) {
  std::string line;
  std::array<char, 64UL * 1024> buffer{};
  while (true) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
      const std::size_t end = piece.find('\n');
      line += piece.substr(0, end);
      if (line.size() > limit) {
        return fail(Errc::kExhausted, fmt::format("answer of more than {} bytes", limit));
      }
      if (end != std::string_view::npos) {
        return line;
      }
      continue;
    }
    if (got == 0 || errno == ECONNRESET) {
      return fail(Errc::kMalformed, "closed without an answer");
    }
    if (errno != EAGAIN && errno != EINTR) {
      return fail_errno(errno, "receive");
    }
    EVICTD_TRY(wait_for(fd, POLLIN, deadline));
  }
}

}  // namespace

Result<PeerCredentials> peer_credentials(int fd) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return fail_errno(errno, "read the credentials of a peer");
  }
  return PeerCredentials{.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
}

Result<Fd> listen_unix(const std::filesystem::path& path, mode_t mode) {
  EVICTD_ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  EVICTD_ASSIGN_OR_RETURN(Fd fd, make_socket());
  Result<> bound = bind_with_mode(fd.get(), address, mode);
  if (!bound && bound.error().sys_errno == EADDRINUSE) {
    bound = remove_stale(path).and_then([&] { return bind_with_mode(fd.get(), address, mode); });
  }
  EVICTD_TRY(std::move(bound));
  if (::listen(fd.get(), kBacklog) != 0) {
    return fail_errno(errno, fmt::format("listen on {}", path.string()));
  }
  return fd;
}

Result<Fd> listen_unix_packets(const std::filesystem::path& path, mode_t mode) {
  const std::filesystem::path early = path.string() + ".new";
  EVICTD_ASSIGN_OR_RETURN(const sockaddr_un address, address_of(early));
  struct stat status {};
  const bool there = ::lstat(path.c_str(), &status) == 0;
  if (there && !S_ISSOCK(status.st_mode)) {
    return fail(Errc::kBusy, fmt::format("{} is not a socket", path.string()));
  }
  if (there && connect_unix_packets(path)) {
    return fail(Errc::kBusy, fmt::format("another process listens on {}", path.string()));
  }
  EVICTD_ASSIGN_OR_RETURN(Fd fd, make_socket(SOCK_SEQPACKET));
  ::unlink(early.c_str());
  EVICTD_TRY(bind_with_mode(fd.get(), address, mode));
  if (::listen(fd.get(), kBacklog) != 0 || ::rename(early.c_str(), path.c_str()) != 0) {
    const int failed_errno = errno;
    ::unlink(early.c_str());
    return fail_errno(failed_errno, fmt::format("listen on {}", path.string()));
  }
  return fd;
}

namespace {

Result<Fd> connect_socket(const std::filesystem::path& path, int type) {
  EVICTD_ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  EVICTD_ASSIGN_OR_RETURN(Fd fd, make_socket(type));
  if (::connect(fd.get(), generic(address), sizeof(address)) != 0) {
    const int connect_errno = errno;
    const std::string context = fmt::format("connect to {}", path.string());
    if (connect_errno == ECONNREFUSED) {
      return tl::unexpected(Error{.code = Errc::kNotFound,
                                  .sys_errno = connect_errno,
                                  .context = context + ": nobody listens"});
    }
    if (connect_errno == EAGAIN) {
      return fail(Errc::kBusy, context + ": its queue of waiting clients is full");
    }
    return fail_errno(connect_errno, context);
  }
  return fd;
}

}  // namespace

Result<Fd> connect_unix(const std::filesystem::path& path) {
  return connect_socket(path, SOCK_STREAM);
}

Result<Fd> connect_unix_packets(const std::filesystem::path& path) {
  return connect_socket(path, SOCK_SEQPACKET);
}

Result<std::string> request_line(const std::filesystem::path& path, std::string_view request,
                                 RequestOptions options) {
  const Clock::time_point deadline = Clock::now() + options.timeout;
  EVICTD_ASSIGN_OR_RETURN(const Fd fd, connect_unix(path));
  const std::string line = fmt::format("{}\n", request);
  const std::string layer = fmt::format("ask {}", path.string());
  EVICTD_TRY(EVICTD_IN(layer, send_all(fd.get(), line, deadline)));
  return EVICTD_IN(layer, receive_line(fd.get(), options.max_response_bytes, deadline));
}

}  // namespace evictd::base
