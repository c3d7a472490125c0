// SPDX-License-Identifier: Apache-2.0
#include "web/journal_follower.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/unix_socket.h"

namespace evictd::web {

namespace {

using base::member_at;
using Json = nlohmann::ordered_json;

/// Delays between attempts to reach an evictd that is not running.
constexpr int kShortestPauseMs = 100;
constexpr int kLongestPauseMs = 5000;
/// Longer than any line that evictd writes.
constexpr std::size_t kMostUnread = std::size_t{32} * 1024 * 1024;

}  // namespace

Result<std::unique_ptr<JournalFollower>> JournalFollower::start(std::filesystem::path socket,
                                                                Take take) {
  base::Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop.get() < 0) {
    return fail_errno(errno, "create an eventfd");
  }
  std::unique_ptr<JournalFollower> follower(
      new JournalFollower(std::move(socket), std::move(take), std::move(stop)));
  follower->thread_ = std::thread([&self = *follower] { self.run(); });
  return follower;
}

JournalFollower::JournalFollower(std::filesystem::path socket, Take take, base::Fd stop)
    : socket_(std::move(socket)), take_(std::move(take)), stop_(std::move(stop)) {}

JournalFollower::~JournalFollower() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(stop_.get(), &one, sizeof one));
  thread_.join();
}

void JournalFollower::run() {
  int pause_ms = kShortestPauseMs;
  do {
    pause_ms = follow() ? kShortestPauseMs : std::min(2 * pause_ms, kLongestPauseMs);
    connected_ = false;
  } while (pause(pause_ms));
}

bool JournalFollower::pause(int milliseconds) const {
  pollfd stop{.fd = stop_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&stop, 1, milliseconds) == 0;
}

bool JournalFollower::follow() {
  const Result<base::Fd> connection = base::connect_unix(socket_);
  const std::string request = Json{{"op", "follow"}, {"after", last_seq_}}.dump() + "\n";
  // Much smaller than any socket buffer, so it is sent whole.
  if (!connection || ::send(connection->get(), request.data(), request.size(), MSG_NOSIGNAL) !=
                         static_cast<ssize_t>(request.size())) {
    return false;
  }
  connected_ = true;
  ++connections_;
  std::string unread;
  while (unread.size() < kMostUnread) {
    std::array<pollfd, 2> ready{{{.fd = connection->get(), .events = POLLIN, .revents = 0},
                                 {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
    if (::poll(ready.data(), ready.size(), /*timeout=*/-1) < 0 && errno != EINTR) {
      return true;
    }
    if (ready[1].revents != 0) {
      return true;
    }
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(connection->get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      continue;
    }
    if (got <= 0) {
      return true;
    }
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    if (!take_lines(unread)) {
      return false;
    }
  }
  return false;
}

bool JournalFollower::take_lines(std::string& unread) {
  std::size_t begin = 0;
  for (std::size_t end = unread.find('\n'); end != std::string::npos;
       end = unread.find('\n', begin)) {
    if (!take_line(std::string_view(unread).substr(begin, end - begin))) {
      return false;
    }
    begin = end + 1;
  }
  unread.erase(0, begin);
  return true;
}

bool JournalFollower::take_line(std::string_view line) {
  const Json parsed = base::parse_json<Json>(line).value_or(Json());
  // For example, evictd has the maximum number of followers.
  if (!parsed.is_object() || parsed.contains("error")) {
    return false;
  }
  const Json& seq = member_at(parsed, "seq");
  if (seq.is_number_unsigned()) {
    last_seq_ = seq.get<std::uint64_t>();
    take_(last_seq_, std::string(line));
  }
  return true;
}

}  // namespace evictd::web
