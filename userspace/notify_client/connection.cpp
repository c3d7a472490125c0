// SPDX-License-Identifier: Apache-2.0
#include "notify_client/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "evictd/try.h"

namespace evictd::notify_client {
namespace {

using Clock = std::chrono::steady_clock;

/// The start of every reply; some errors have nothing more.
struct ReplyHead {
  evictd_notify_header header;
  std::int32_t error;
  std::uint32_t pad;
};

/// Waits for a place in the server's queue: a client that fills it only delays others.
int connect_in_time(const base::Fd& socket, const sockaddr_un& address, Duration timeout) {
  constexpr std::int64_t kSecond = 1'000'000;
  // 0 would mean no timeout.
  const std::int64_t micros = std::max<std::int64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(timeout).count(), 1);
  const timeval limit{.tv_sec = micros / kSecond, .tv_usec = micros % kSecond};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  int result = 0;
  do {
    result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

Result<base::Fd> connect_to(const std::string& path, Duration timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty()) {
    return fail_errno(ENOENT, "a socket without a name");
  }
  if (path.size() >= sizeof(address.sun_path)) {
    return fail_errno(ENAMETOOLONG, path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  base::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) {
    return fail_errno(errno, "make a unix socket");
  }
  if (const int error = connect_in_time(socket, address, timeout); error != 0) {
    // A socket of another type is not evictd's; a queue that stays full is not served.
    return fail_errno(error == EPROTOTYPE ? EPROTO : error == EAGAIN ? ETIMEDOUT : error, path);
  }
  if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) {
    return fail_errno(errno, "make a unix socket non-blocking");
  }
  return socket;
}

}  // namespace

Connection::Connection(base::Fd socket, Duration timeout)
    : socket_(std::move(socket)), timeout_(timeout) {}

Result<Connection> Connection::open(const std::string& path, Duration timeout) {
  EVICTD_ASSIGN_OR_RETURN(base::Fd socket, connect_to(path, timeout));
  Connection connection(std::move(socket), timeout);
  EVICTD_TRY(connection.greet());
  return connection;
}

Failure Connection::broken(int error, const char* what) {
  ::shutdown(socket_.get(), SHUT_RDWR);
  broken_ = true;
  return fail_errno(error, what);
}

Result<> Connection::wait(short events, Deadline deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return fail_errno(ETIMEDOUT, "evictd");
    }
    pollfd waited{.fd = socket_.get(), .events = events, .revents = 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(left));
    if (ready > 0) {
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for evictd");
    }
  }
}

Result<> Connection::send(std::span<const std::byte> request, std::span<const int> attached,
                          Deadline deadline) {
  // sendmsg() takes non-const pointers, but only reads.
  std::array<std::byte, EVICTD_NOTIFY_MESSAGE_MAX> packet{};
  std::memcpy(packet.data(), request.data(), request.size());
  iovec piece{.iov_base = packet.data(), .iov_len = request.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(EVICTD_NOTIFY_FDS * sizeof(int))> control{};
  if (!attached.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(attached.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(attached.size_bytes());
    std::memcpy(CMSG_DATA(rights), attached.data(), attached.size_bytes());
  }
  while (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) < 0) {
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
      return fail_errno(ENOTCONN, "evictd has gone");
    }
    if (errno == EINTR) {
      continue;
    }
    if (errno != EAGAIN) {
      return fail_errno(errno, "ask evictd");
    }
    EVICTD_TRY(wait(POLLOUT, deadline));
  }
  return {};
}

Result<std::size_t> Connection::receive(std::span<std::byte> reply, Deadline deadline) {
  while (true) {
    const ssize_t got = ::recv(socket_.get(), reply.data(), reply.size(), MSG_TRUNC);
    if (got > 0) {
      return static_cast<std::size_t>(got);
    }
    if (got == 0 || errno == ECONNRESET || errno == ENOTCONN) {
      return fail_errno(ENOTCONN, "evictd has gone");
    }
    if (errno == EAGAIN) {
      EVICTD_TRY(wait(POLLIN, deadline));
    } else if (errno != EINTR) {
      return fail_errno(errno, "hear evictd");
    }
  }
}

Result<> Connection::exchange(std::span<const std::byte> request, std::span<const int> attached,
                              std::span<std::byte> reply) {
  const Deadline deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout_);
  if (Result<> sent = send(request, attached, deadline); !sent) {
    return broken(sent.error().sys_errno, "ask evictd");
  }
  const Result<std::size_t> size = receive(reply, deadline);
  if (!size) {
    return broken(size.error().sys_errno, "hear evictd");
  }
  evictd_notify_header asked{};
  std::memcpy(&asked, request.data(), sizeof(asked));
  ReplyHead head{};
  std::memcpy(&head, reply.data(), std::min(sizeof(head), *size));
  if (*size < sizeof(head) || head.header.magic != EVICTD_NOTIFY_MAGIC ||
      head.header.type != (asked.type | EVICTD_NOTIFY_REPLY) ||
      head.header.request_id != asked.request_id || head.error < 0) {
    return broken(EPROTO, "evictd's answer");
  }
  if (head.error == EBADMSG || head.error == EPROTO) {
    // The server hangs up after these.
    return broken(head.error, "evictd");
  }
  if (head.error != 0) {
    return fail_errno(head.error, "evictd");
  }
  return *size == reply.size() ? Result<>() : broken(EPROTO, "size of evictd's answer");
}

template <typename Reply, typename Request>
Result<Reply> Connection::ask(Request request, evictd_notify_message type,
                              std::span<const int> attached) {
  request.header = {.magic = EVICTD_NOTIFY_MAGIC, .type = type, .request_id = ++last_request_};
  Reply reply{};
  EVICTD_TRY(exchange(std::as_bytes(std::span(&request, 1)), attached,
                      std::as_writable_bytes(std::span(&reply, 1))));
  return reply;
}

Result<> Connection::greet() {
  evictd_notify_hello hello{};
  hello.version = EVICTD_NOTIFY_VERSION;
  const Result<evictd_notify_hello_reply> reply =
      ask<evictd_notify_hello_reply>(hello, EVICTD_NOTIFY_HELLO);
  if (!reply) {
    // A server that hangs up on the first message refuses us; whether it is evictd is unknown.
    return fail_errno(reply.error().sys_errno == ENOTCONN ? ECONNREFUSED : reply.error().sys_errno,
                      "greet evictd");
  }
  if (reply->version != EVICTD_NOTIFY_VERSION) {
    return fail_errno(EPROTONOSUPPORT, "greet evictd");
  }
  server_ = *reply;
  return {};
}

Result<std::uint64_t> Connection::add(const evictd_notify_watch& watch, int cgroup, int eventfd,
                                      int number) {
  evictd_notify_register_request request{};
  request.signal = watch.signal;
  request.unit = watch.unit;
  request.direction = watch.direction;
  request.mode = watch.mode;
  request.threshold = watch.threshold;
  request.hysteresis = watch.hysteresis;
  request.eventfd = number;
  std::array<int, EVICTD_NOTIFY_FDS> attached{};
  attached[EVICTD_NOTIFY_FD_EVENT] = eventfd;
  attached[EVICTD_NOTIFY_FD_CGROUP] = cgroup;
  EVICTD_ASSIGN_OR_RETURN(
      const evictd_notify_register_reply reply,
      ask<evictd_notify_register_reply>(request, EVICTD_NOTIFY_REGISTER, attached));
  return reply.registration;
}

Result<> Connection::remove(std::uint64_t registration) {
  evictd_notify_unregister_request request{};
  request.registration = registration;
  const Result<evictd_notify_unregister_reply> reply =
      ask<evictd_notify_unregister_reply>(request, EVICTD_NOTIFY_UNREGISTER);
  return reply ? Result<>() : Failure(reply.error());
}

Result<evictd_notify_list_reply> Connection::query(std::uint64_t registration) {
  evictd_notify_list request{};
  request.after = registration - 1;
  Result<evictd_notify_list_reply> reply =
      ask<evictd_notify_list_reply>(request, EVICTD_NOTIFY_LIST);
  if (reply && reply->registration != registration) {
    return fail_errno(ENOENT, "registration");
  }
  return reply;
}

}  // namespace evictd::notify_client
