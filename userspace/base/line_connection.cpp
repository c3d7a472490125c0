// SPDX-License-Identifier: Apache-2.0
#include "base/line_connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/unix_socket.h"
#include "evictd/try.h"

namespace evictd::base {

namespace {

/// A status with 4095 pods needs a tenth of it.
constexpr std::size_t kLongestLine = std::size_t{64} * 1024 * 1024;

}  // namespace

Result<LineConnection> LineConnection::ask(const std::string& socket, const std::string& request) {
  EVICTD_ASSIGN_OR_RETURN(Fd fd, connect_unix(socket));
  const std::string line = request + "\n";
  // Far smaller than any socket buffer: one write sends all of it. A connection that is already
  // closed may have an answer that says why.
  const ssize_t sent = ::send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(line.size()) && errno != EPIPE && errno != ECONNRESET) {
    return fail_errno(errno, "ask evictd");
  }
  return LineConnection(std::move(fd));
}

std::vector<std::string> LineConnection::whole_lines() {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = unread_.find('\n'); end != std::string::npos;
       end = unread_.find('\n', begin)) {
    lines.push_back(unread_.substr(begin, end - begin));
    begin = end + 1;
  }
  unread_.erase(0, begin);
  return lines;
}

Result<std::vector<std::string>> LineConnection::take() {
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
      if (unread_.size() > kLongestLine) {
        return fail(Errc::kExhausted, "evictd's answer is too long");
      }
      continue;
    }
    if (got < 0 && errno == EINTR) {
      continue;
    }
    const int failed = errno;
    std::vector<std::string> lines = whole_lines();
    if (!lines.empty() || (got < 0 && (failed == EAGAIN || failed == EWOULDBLOCK))) {
      return lines;
    }
    return got == 0 ? fail(Errc::kNotFound, "evictd has closed the connection")
                    : fail_errno(failed, "read from evictd");
  }
}

}  // namespace evictd::base
