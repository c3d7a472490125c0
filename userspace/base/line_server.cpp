// SPDX-License-Identifier: Apache-2.0
#include "base/line_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "evictd/try.h"

namespace evictd::base {
namespace {

/// Connections accepted per wake-up, so that a flood of them leaves the loop time for others.
constexpr int kAcceptsPerWake = 16;
/// How long connections wait when no descriptor is left to accept them with.
constexpr Duration kPause = std::chrono::seconds(1);
/// Bytes read per wake-up; a longer request takes several.
constexpr std::size_t kReadBytes = 4096;
/// Bytes of an oversized request that are read and discarded, so that a client that sends
/// everything before it reads still gets its answer.
constexpr std::size_t kMaxDrained = std::size_t{1} << 20;

bool is_out_of_resources(int accept_errno) {
  return accept_errno == EMFILE || accept_errno == ENFILE || accept_errno == ENOBUFS ||
         accept_errno == ENOMEM;
}

}  // namespace

/// One connection: reads a line, then writes the answer. The server destroys it when it is done.
class LineServer::Client final : public ReadyHandler {
 public:
  Client(LineServer& server, Fd fd, PeerCredentials peer, MonoTime deadline)
      : server_(server), fd_(std::move(fd)), peer_(peer), deadline_(deadline) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() override { server_.loop_.remove(fd_.get(), *this); }

  Result<> watch(std::uint32_t events) { return server_.loop_.add(fd_.get(), events, *this); }
  /// Unset for a listener, which may stay as long as it reads.
  [[nodiscard]] std::optional<MonoTime> deadline() const {
    return listens_ ? std::nullopt : std::optional(deadline_);
  }
  [[nodiscard]] bool listens() const { return listens_; }
  /// Accepted while the maximum of clients were being served.
  [[nodiscard]] bool turned_away() const { return turned_away_; }
  /// Sends the refusal; the connection must be kept until the client has sent what it was sending.
  void turn_away() {
    turned_away_ = true;
    drains_ = true;
    static_cast<void>(send_last_line(server_.options_.one_client_too_many_answer));
  }
  /// Its request was too long or it was one client too many; this is counted already.
  [[nodiscard]] bool drains() const { return drains_; }
  /// Sends a published line, or as much of it as the socket takes now. Returns whether to keep the
  /// client.
  [[nodiscard]] bool tell(std::string_view line) {
    answer_.erase(0, written_);
    written_ = 0;
    if (answer_.size() + line.size() >= server_.options_.max_unread_bytes) {
      ++server_.counters_.lagging;
      return false;
    }
    answer_ += line;
    answer_ += '\n';
    return send_waiting();
  }

  /// May destroy this object.
  void on_ready(std::uint32_t /*events*/) override {
    if (listens_) {
      serve_listener();
    } else if (drains_) {
      drain_some();
    } else if (answer_.empty()) {
      read_some();
    } else {
      write_some();
    }
  }

 private:
  /// Increments `counter` for the end of this connection and destroys it.
  void end(std::uint64_t& counter) {
    ++counter;
    server_.drop(*this);
  }

  void read_some() {
    std::array<char, kReadBytes> buffer{};
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    if (got <= 0) {
      end(server_.counters_.aborted);
      return;
    }
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t line_end = piece.find('\n');
    request_ += piece.substr(0, line_end);
    if (request_.size() > server_.options_.max_request_bytes) {
      refuse_oversized(line_end != std::string_view::npos);
    } else if (line_end != std::string_view::npos) {
      answer_request();
    }
  }

  /// Answers at once. Reads the rest of the request, within bounds, before it closes: closing a
  /// socket with unread data fails the client's send, and many clients then no longer read.
  void refuse_oversized(bool whole) {
    ++server_.counters_.oversized;
    drains_ = true;
    request_ = std::string();
    if (!send_last_line(server_.options_.oversized_answer) || whole) {
      server_.drop(*this);
    }
  }

  /// Sends one line and shuts the connection down for writing. Returns false if nothing was sent.
  [[nodiscard]] bool send_last_line(const std::string& text) {
    const std::string line = text + '\n';
    // Nothing was sent before, so the socket takes it as a whole.
    return !text.empty() && ::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) > 0 &&
           ::shutdown(fd_.get(), SHUT_WR) == 0;
  }

  void drain_some() {
    std::array<char, kReadBytes> ignored{};
    const ssize_t got = ::recv(fd_.get(), ignored.data(), ignored.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    const std::string_view piece(ignored.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    drained_ += piece.size();
    if (piece.empty() || drained_ >= kMaxDrained || piece.find('\n') != std::string_view::npos) {
      server_.drop(*this);
    }
  }

  void answer_request() {
    if (std::optional<std::string> first = server_.handler_.on_subscription(request_)) {
      start_listening(std::move(*first));
      return;
    }
    answer_ = server_.handler_.on_line(request_, peer_);
    // A line end within the answer would cut it short for the reader.
    std::replace(answer_.begin(), answer_.end(), '\n', ' ');
    answer_ += '\n';
    server_.loop_.remove(fd_.get(), *this);
    if (!watch(EPOLLOUT)) {
      end(server_.counters_.aborted);
      return;
    }
    write_some();
  }

  void write_some() {
    while (written_ < answer_.size()) {
      const ssize_t sent =
          ::send(fd_.get(), answer_.data() + written_, answer_.size() - written_, MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
      }
      if (sent < 0) {
        end(server_.counters_.aborted);
        return;
      }
      written_ += static_cast<std::size_t>(sent);
    }
    end(server_.counters_.served);
  }

  void start_listening(std::string first) {
    if (server_.listeners() >= server_.options_.max_listeners) {
      static_cast<void>(send_last_line(server_.options_.one_listener_too_many_answer));
      end(server_.counters_.refused_listeners);
      return;
    }
    listens_ = true;
    answer_ = std::move(first);
    server_.arm_timer();
    if (!send_waiting()) {
      end(server_.counters_.aborted);
    }
  }

  /// A listener sends nothing more: if it is readable, it has closed.
  void serve_listener() {
    std::array<char, kReadBytes> ignored{};
    const ssize_t got = ::recv(fd_.get(), ignored.data(), ignored.size(), 0);
    const bool open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    if (!open || !send_waiting()) {
      end(server_.counters_.served);
    }
  }

  /// Returns false when the connection has failed. Waits for the socket only while data is unsent.
  [[nodiscard]] bool send_waiting() {
    while (written_ < answer_.size()) {
      const ssize_t sent =
          ::send(fd_.get(), answer_.data() + written_, answer_.size() - written_, MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
      }
      if (sent < 0) {
        break;
      }
      written_ += static_cast<std::size_t>(sent);
    }
    const bool waits = written_ < answer_.size();
    if (waits == waits_for_room_) {
      return true;
    }
    waits_for_room_ = waits;
    server_.loop_.remove(fd_.get(), *this);
    return watch(waits ? EPOLLIN | EPOLLOUT : EPOLLIN).has_value();
  }

  LineServer& server_;
  Fd fd_;
  PeerCredentials peer_;
  MonoTime deadline_;
  std::string request_;
  std::string answer_;
  std::size_t written_ = 0;
  std::size_t drained_ = 0;
  bool listens_ = false;
  bool drains_ = false;
  bool turned_away_ = false;
  bool waits_for_room_ = false;
};

void LineServer::Expiry::on_ready(std::uint32_t /*events*/) {
  server_.expire();
}

LineServer::LineServer(Options options, EventLoop& loop, const core::Clock& clock,
                       LineHandler& handler, Timer timer)
    : options_(std::move(options)),
      loop_(loop),
      clock_(clock),
      handler_(handler),
      timer_(std::move(timer)) {}

Result<std::unique_ptr<LineServer>> LineServer::create(Options options, EventLoop& loop,
                                                       const core::Clock& clock,
                                                       LineHandler& handler) {
  EVICTD_ASSIGN_OR_RETURN(Timer timer, Timer::create());
  std::unique_ptr<LineServer> server(
      new LineServer(std::move(options), loop, clock, handler, std::move(timer)));
  EVICTD_TRY(server->listen());
  return server;
}

Result<> LineServer::listen() {
  EVICTD_ASSIGN_OR_RETURN(listener_, listen_unix(options_.path, options_.mode));
  return loop_.add(listener_.get(), EPOLLIN, *this).and_then([this] {
    return loop_.add(timer_.descriptor(), EPOLLIN, expiry_);
  });
}

LineServer::~LineServer() {
  clients_.clear();
  loop_.remove(timer_.descriptor(), expiry_);
  if (listener_) {
    loop_.remove(listener_.get(), *this);
    ::unlink(options_.path.c_str());
  }
}

void LineServer::on_ready(std::uint32_t /*events*/) {
  for (int i = 0; i < kAcceptsPerWake; ++i) {
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection) {
      accept_one(std::move(connection));
      continue;
    }
    if (is_out_of_resources(errno)) {
      pause_listening();
    }
    break;
  }
  arm_timer();
}

void LineServer::accept_one(Fd connection) {
  const Result<PeerCredentials> peer = peer_credentials(connection.get());
  if (!peer) {
    ++counters_.aborted;
    return;
  }
  auto client = std::make_unique<Client>(*this, std::move(connection), *peer,
                                         clock_.now() + options_.client_timeout);
  if (clients_.size() - turned_away() >= options_.max_clients) {
    turn_away(std::move(client));
    return;
  }
  if (!client->watch(EPOLLIN)) {
    ++counters_.aborted;
    return;
  }
  clients_.push_back(std::move(client));
}

/// Closing a socket before the client has sent its request fails the send. Only this many are
/// protected from that.
void LineServer::turn_away(std::unique_ptr<Client> client) {
  ++counters_.refused;
  handler_.on_turned_away();
  const bool has_room = turned_away() < options_.max_clients;
  client->turn_away();
  if (has_room && client->watch(EPOLLIN)) {
    clients_.push_back(std::move(client));
  }
}

void LineServer::expire() {
  timer_.consume();
  const MonoTime now = clock_.now();
  const auto is_late = [now](const auto& client) {
    return client->deadline() && *client->deadline() <= now;
  };
  counters_.timed_out += static_cast<std::uint64_t>(
      std::count_if(clients_.begin(), clients_.end(),
                    [&](const auto& client) { return is_late(client) && !client->drains(); }));
  std::erase_if(clients_, is_late);
  if (listen_again_at_ && *listen_again_at_ <= now) {
    listen_again_at_.reset();
    if (!loop_.add(listener_.get(), EPOLLIN, *this)) {
      listen_again_at_ = now + kPause;
    }
  }
  arm_timer();
}

void LineServer::pause_listening() {
  // Otherwise the listener would stay ready and the loop would spin.
  loop_.remove(listener_.get(), *this);
  listen_again_at_ = clock_.now() + kPause;
}

void LineServer::arm_timer() {
  std::optional<MonoTime> next = listen_again_at_;
  for (const auto& client : clients_) {
    if (const std::optional<MonoTime> deadline = client->deadline()) {
      next = next ? std::min(*next, *deadline) : *deadline;
    }
  }
  if (next) {
    timer_.arm(*next);
  } else {
    timer_.disarm();
  }
}

std::size_t LineServer::listeners() const {
  return static_cast<std::size_t>(std::count_if(
      clients_.begin(), clients_.end(), [](const auto& client) { return client->listens(); }));
}

std::size_t LineServer::turned_away() const {
  return static_cast<std::size_t>(std::count_if(
      clients_.begin(), clients_.end(), [](const auto& client) { return client->turned_away(); }));
}

void LineServer::publish(std::string_view line) {
  std::erase_if(clients_,
                [&](const auto& client) { return client->listens() && !client->tell(line); });
}

void LineServer::drop(const Client& client) {
  std::erase_if(clients_, [&](const auto& held) { return held.get() == &client; });
  arm_timer();
}

}  // namespace evictd::base
