// SPDX-License-Identifier: Apache-2.0
#include "web/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace evictd::web {

namespace {

using std::chrono::milliseconds;

/// Time limit of the handshake, and of a request from its first byte to its last.
constexpr milliseconds kRequestTime{5000};
/// Time limit for the client to take one piece of an answer.
constexpr milliseconds kWriteTime{10000};
/// Time limit between two requests on a kept connection.
constexpr milliseconds kIdleTime{5000};

}  // namespace

bool Connection::wait(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd ready{.fd = socket_.get(), .events = events, .revents = 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (found > 0) {
      return true;
    }
    if (found == 0 || errno != EINTR) {
      return false;
    }
  }
}

short Connection::wanted_events(int result) const {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) {
    return POLLIN;
  }
  return error == SSL_ERROR_WANT_WRITE ? POLLOUT : short{0};
}

void Connection::start_request() {
  deadline_ = Clock::now() + kRequestTime;
}

bool Connection::begin() {
  start_request();
  if (!ssl_) {
    return true;
  }
  while (true) {
    const int result = SSL_accept(ssl_.get());
    if (result == 1) {
      return true;
    }
    const short events = wanted_events(result);
    if (events == 0 || !wait(events, deadline_)) {
      return false;
    }
  }
}

bool Connection::wait_for_request() const {
  if (ssl_ && SSL_pending(ssl_.get()) > 0) {
    return true;
  }
  std::array<pollfd, 2> ready{{{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                               {.fd = stop_, .events = POLLIN, .revents = 0}}};
  return ::poll(ready.data(), ready.size(), kIdleTime.count()) > 0 && ready[0].revents != 0;
}

bool Connection::is_readable() const {
  return (ssl_ && SSL_pending(ssl_.get()) > 0) || wait(POLLIN, deadline_);
}

bool Connection::is_writable() const {
  return wait(POLLOUT, Clock::now() + kWriteTime);
}

ssize_t Connection::read(char* data, std::size_t size) {
  while (true) {
    const auto most = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
    const ssize_t got =
        ssl_ ? SSL_read(ssl_.get(), data, most) : ::recv(socket_.get(), data, size, MSG_DONTWAIT);
    if (got > 0) {
      return got;
    }
    short events = POLLIN;
    if (ssl_) {
      events = wanted_events(static_cast<int>(got));
    } else if (got == 0) {
      return 0;
    } else if (errno != EAGAIN && errno != EINTR) {
      return -1;
    }
    if (events == 0 || !wait(events, deadline_)) {
      return -1;
    }
  }
}

ssize_t Connection::write(const char* data, std::size_t size) {
  const Clock::time_point deadline = Clock::now() + kWriteTime;
  std::size_t written = 0;
  while (written < size) {
    const std::size_t rest = size - written;
    const auto most = static_cast<int>(std::min<std::size_t>(rest, INT_MAX));
    const ssize_t taken =
        ssl_ ? SSL_write(ssl_.get(), data + written, most)
             : ::send(socket_.get(), data + written, rest, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken > 0) {
      written += static_cast<std::size_t>(taken);
      continue;
    }
    short events = POLLOUT;
    if (ssl_) {
      events = wanted_events(static_cast<int>(taken));
    } else if (errno != EAGAIN && errno != EINTR) {
      return -1;
    }
    if (events == 0 || !wait(events, deadline)) {
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

// No answer depends on the client's address.
void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace evictd::web
