// SPDX-License-Identifier: Apache-2.0
#include "web/journal_follower.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/line_connection.h"
#include "evictd/try.h"

namespace evictd::web {

namespace {

using base::member_at;
using Json = nlohmann::ordered_json;

/// Delays between attempts to reach an evictd that is not running.
constexpr int kShortestPauseMs = 100;
constexpr int kLongestPauseMs = 5000;

}  // namespace

Result<std::unique_ptr<JournalFollower>> JournalFollower::start(std::filesystem::path socket,
                                                                Take take) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp stop, base::WakeUp::create());
  std::unique_ptr<JournalFollower> follower(
      new JournalFollower(std::move(socket), std::move(take), std::move(stop)));
  follower->thread_ = std::thread([&self = *follower] { self.run(); });
  return follower;
}

JournalFollower::JournalFollower(std::filesystem::path socket, Take take, base::WakeUp stop)
    : socket_(std::move(socket)), take_(std::move(take)), stop_(std::move(stop)) {}

JournalFollower::~JournalFollower() {
  stop_.signal();
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
  pollfd stop{.fd = stop_.descriptor(), .events = POLLIN, .revents = 0};
  return ::poll(&stop, 1, milliseconds) == 0;
}

bool JournalFollower::follow() {
  Result<base::LineConnection> connection =
      base::LineConnection::ask(socket_, Json{{"op", "follow"}, {"after", last_seq_}}.dump());
  if (!connection) {
    return false;
  }
  connected_ = true;
  while (true) {
    std::array<pollfd, 2> ready{{{.fd = connection->fd(), .events = POLLIN, .revents = 0},
                                 {.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}}};
    if (::poll(ready.data(), ready.size(), /*timeout=*/-1) < 0 && errno != EINTR) {
      return true;
    }
    if (ready[1].revents != 0) {
      return true;
    }
    const Result<std::vector<std::string>> lines = connection->take();
    if (!lines) {
      return lines.error().code != Errc::kExhausted;
    }
    if (!std::all_of(lines->begin(), lines->end(),
                     [this](const std::string& line) { return take_line(line); })) {
      return false;
    }
  }
}

bool JournalFollower::take_line(const std::string& line) {
  const Json parsed = base::parse_json<Json>(line).value_or(Json());
  // For example, evictd has the maximum number of followers.
  if (!parsed.is_object() || parsed.contains("error")) {
    return false;
  }
  const Json& seq = member_at(parsed, "seq");
  if (seq.is_number_unsigned()) {
    last_seq_ = seq.get<std::uint64_t>();
    take_(last_seq_, line);
  }
  return true;
}

}  // namespace evictd::web
