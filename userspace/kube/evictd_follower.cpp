// SPDX-License-Identifier: Apache-2.0
#include "kube/evictd_follower.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/one_line.h"
#include "base/unix_socket.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

using Json = nlohmann::json;

constexpr Duration kTryAgain = std::chrono::seconds(2);
/// Limit of one turn, so that a journal of any length delays nothing else.
constexpr int kReadsAtOnce = 16;

}  // namespace

bool reports_unknown_pod(std::string_view line) {
  if (line.find("unknown_pod") == std::string_view::npos) {
    return false;  // Nearly all lines, without a parser.
  }
  const Result<Json> read = base::parse_json<Json>(line);
  return read && read->is_object() && read->contains("kind") && (*read)["kind"] == "unknown_pod";
}

EvictdFollower::EvictdFollower(Options options, base::Timer timer)
    : options_(std::move(options)), timer_(std::move(timer)) {}

Result<std::unique_ptr<EvictdFollower>> EvictdFollower::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<EvictdFollower> follower(
      new EvictdFollower(std::move(options), std::move(timer)));
  base::EventLoop& loop = *follower->options_.loop;
  EVICTD_TRY(loop.add(follower->timer_.descriptor(), EPOLLIN, follower->timer_handler_));
  follower->connect();
  return follower;
}

EvictdFollower::~EvictdFollower() {
  if (connection_) {
    options_.loop->remove(connection_.get(), socket_handler_);
  }
  options_.loop->remove(timer_.descriptor(), timer_handler_);
}

Result<base::Fd> EvictdFollower::subscribe() const {
  EVICTD_ASSIGN_OR_RETURN(base::Fd connection, base::connect_unix(options_.path));
  // Much smaller than any socket buffer, so it is sent whole.
  const std::string request = options_.request() + '\n';
  if (::send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(request.size())) {
    return fail_errno(errno, "ask evictd at " + options_.path);
  }
  return connection;
}

void EvictdFollower::connect() {
  Result<base::Fd> connection = subscribe();
  if (connection) {
    if (Result<> added = options_.loop->add(connection->get(), EPOLLIN, socket_handler_); !added) {
      connection = Failure(added.error());
    }
  }
  if (!connection) {
    problem_ = base::one_line(connection.error().message());
    timer_.arm(options_.clock->now() + kTryAgain);
    return;
  }
  connection_ = std::move(*connection);
  ++counters_.connections;
  problem_.clear();
  unread_.clear();
  is_skipping_line_ = false;
  // evictd does not repeat the pods that it found while nobody listened.
  options_.on_unknown_pod();
}

void EvictdFollower::on_timer() {
  if (timer_.consume() && !connection_) {
    connect();
  }
}

void EvictdFollower::on_readable() {
  std::array<char, 65536> buffer{};
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t got = ::recv(connection_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    if (got <= 0) {
      disconnect(got == 0 ? "evictd closed the stream"
                          : fail_errno(errno, "follow evictd").value().message());
      return;
    }
    unread_.append(buffer.data(), static_cast<std::size_t>(got));
    if (!take_lines()) {
      // The refusing function has set the problem.
      disconnect("");
      return;
    }
  }
}

bool EvictdFollower::take_lines() {
  bool is_told = false;
  bool is_wanted = true;
  std::size_t begin = 0;
  for (std::size_t end = unread_.find('\n'); is_wanted && end != std::string::npos;
       end = unread_.find('\n', begin)) {
    const std::string_view line = std::string_view(unread_).substr(begin, end - begin);
    ++counters_.lines;
    if (!std::exchange(is_skipping_line_, false)) {
      const bool tells = reports_unknown_pod(line);
      counters_.unknown_pods += tells ? 1 : 0;
      is_told = is_told || tells;
      is_wanted = !options_.on_line || options_.on_line(line);
    }
    begin = end + 1;
  }
  unread_.erase(0, begin);
  if (unread_.size() > options_.longest_line) {
    counters_.oversized_lines += is_skipping_line_ ? 0 : 1;
    is_skipping_line_ = true;
    unread_.clear();
  }
  if (is_told) {
    options_.on_unknown_pod();
  }
  return is_wanted;
}

void EvictdFollower::disconnect(const std::string& problem) {
  options_.loop->remove(connection_.get(), socket_handler_);
  connection_.reset();
  problem_ = base::one_line(problem);
  timer_.arm(options_.clock->now() + kTryAgain);
}

}  // namespace evictd::kube
