// SPDX-License-Identifier: Apache-2.0
#include "notify/service.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "evictd/try.h"
#include "notify/connection.h"

namespace evictd::notify {
namespace {

/// Connections accepted per turn.
constexpr int kAcceptsPerTurn = 16;
/// A user beyond its limit may have this many more connections that get an error reply.
constexpr std::uint32_t kToBeTold = 4;
/// Accepting stops at this many unclosed sockets: the next connection could add another one.
constexpr std::size_t kMostUnclosed = 256;
/// For a peer that had gone before its credentials were read.
constexpr uid_t kUnknownUser = 65534;

base::Fd open_reserve_descriptor() {
  return base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

Service::Service(ServiceOptions options, base::EventLoop& loop, Engine& engine,
                 std::uint64_t instance, Wakers wakers)
    : options_(std::move(options)),
      loop_(loop),
      engine_(engine),
      instance_(instance),
      reserve_descriptor_(open_reserve_descriptor()),
      closed_(std::make_shared<const base::WakeUp>(std::move(wakers.closed))),
      disposer_(std::make_shared<Disposer>(closed_)),
      pause_(std::move(wakers.pause)) {
  engine_.set_disposer(disposer_);
  engine_.limit_oom_files({.root = options_.root.oom_files,
                           .user = options_.user.oom_files,
                           .others = options_.max_oom_files});
}

Service::~Service() {
  connections_.clear();
  loop_.remove(engine_.descriptor(), engine_ready_);
  loop_.remove(closed_->descriptor(), closed_ready_);
  loop_.remove(pause_.descriptor(), pause_over_);
  if (!listener_) {
    return;
  }
  loop_.remove(listener_.get(), *this);
  ::unlink(options_.path.c_str());
  // No more connections arrive. Those waiting must not be left to the listener's close, which would
  // wait for theirs.
  ::shutdown(listener_.get(), SHUT_RDWR);
  while (base::Fd socket = accept()) {
    const Result<base::PeerCredentials> peer = base::peer_credentials(socket.get());
    close_socket(peer ? peer->uid : kUnknownUser, std::move(socket));
  }
}

Result<std::unique_ptr<Service>> Service::create(const ServiceOptions& options,
                                                 base::EventLoop& loop, Engine& engine) {
  std::uint64_t instance = 0;
  if (::getrandom(&instance, sizeof(instance), 0) != sizeof(instance)) {
    return fail_errno(errno, "get a random number");
  }
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp closed, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer pause, base::Timer::create());
  std::unique_ptr<Service> service(new Service(
      options, loop, engine, instance, {.closed = std::move(closed), .pause = std::move(pause)}));
  EVICTD_TRY(service->listen());
  return service;
}

Result<> Service::listen() {
  EVICTD_ASSIGN_OR_RETURN(listener_, base::listen_unix_packets(options_.path, options_.mode));
  return loop_.add(listener_.get(), EPOLLIN, *this)
      .and_then([this] { return loop_.add(engine_.descriptor(), EPOLLIN, engine_ready_); })
      .and_then([this] { return loop_.add(pause_.descriptor(), EPOLLIN, pause_over_); });
}

const UserLimits& Service::limits_of(uid_t uid) const {
  return uid == 0 ? options_.root : options_.user;
}

int Service::check_room(uid_t uid) const {
  constexpr auto kEnded = Disposer::Kind::kRegistration;
  // Ended connections count until they are closed; otherwise their number would be unlimited.
  if (disposer_->pending(kEnded, uid) >= limits_of(uid).registrations) {
    return EDQUOT;
  }
  std::uint64_t others = disposer_->pending(kEnded);
  for (const auto& [user, usage] : users_) {
    if (user == uid && usage.registrations >= limits_of(uid).registrations) {
      return EDQUOT;
    }
    others += user == 0 ? 0 : usage.registrations;
  }
  return uid != 0 && others >= options_.max_registrations ? ENOSPC : 0;
}

void Service::on_ready(std::uint32_t /*events*/) {
  const core::Clock& clock = engine_.clock();
  if (!budget_.may_connect(clock.now())) {
    pause_listener();
    return;
  }
  const Duration before = clock.thread_cpu();
  accept_waiting();
  budget_.pay_connecting(clock.thread_cpu() - before);
}

void Service::accept_waiting() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    if (disposer_->pending(Disposer::Kind::kConnection) >= kMostUnclosed) {
      stop_accepting();
      return;
    }
    base::Fd socket = accept();
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE) {
        reject_without_descriptor();
      }
      return;
    }
    accept_one(std::move(socket));
  }
}

base::Fd Service::accept() const {
  return base::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

void Service::stop_accepting() {
  if (loop_.add(closed_->descriptor(), EPOLLIN, closed_ready_)) {
    loop_.remove(listener_.get(), *this);
    ++counters_.held_back;
  }
}

void Service::accept_again_if_closed() {
  static_cast<void>(closed_->consume());
  if (disposer_->pending(Disposer::Kind::kConnection) >= kMostUnclosed) {
    return;
  }
  loop_.remove(closed_->descriptor(), closed_ready_);
  if (!loop_.add(listener_.get(), EPOLLIN, *this)) {
    // Nothing more may be closed that would cause this again.
    listener_paused_ = true;
    begin_pause();
  }
}

bool Service::may_read_requests(Connection& connection) {
  if (budget_.is_left(connection.uid(), engine_.clock().now())) {
    return true;
  }
  connection.unwatch();
  paused_connections_.push_back(&connection);
  begin_pause();
  return false;
}

void Service::pause_listener() {
  loop_.remove(listener_.get(), *this);
  listener_paused_ = true;
  begin_pause();
}

void Service::begin_pause() {
  ++counters_.put_off;
  if (!std::exchange(pausing_, true)) {
    pause_.arm(engine_.clock().now() + RequestBudget::kPause);
  }
}

void Service::end_pause() {
  pause_.consume();
  pausing_ = false;
  for (Connection* const connection : std::exchange(paused_connections_, {})) {
    if (!connection->watch()) {
      ++counters_.expelled;
      drop(*connection);
    }
  }
  if (std::exchange(listener_paused_, false) && !loop_.add(listener_.get(), EPOLLIN, *this)) {
    // Possibly a lack of memory, so it is temporary.
    listener_paused_ = true;
    begin_pause();
  }
}

void Service::close_socket(uid_t uid, base::Fd socket) {
  // Also ends it if a child process of the server has a copy of the descriptor.
  ::shutdown(socket.get(), SHUT_RDWR);
  if (may_hold_descriptors(socket.get())) {
    std::vector<base::Fd> one;
    one.push_back(std::move(socket));
    disposer_->dispose(uid, std::move(one), Disposer::Kind::kConnection);
  }
}

void Service::reject_without_descriptor() {
  reserve_descriptor_.reset();
  if (base::Fd socket = accept()) {
    const Result<base::PeerCredentials> peer = base::peer_credentials(socket.get());
    close_socket(peer ? peer->uid : kUnknownUser, std::move(socket));
  }
  ++counters_.expelled;
  reserve_descriptor_ = open_reserve_descriptor();
}

void Service::accept_one(base::Fd socket) {
  const Result<base::PeerCredentials> peer = base::peer_credentials(socket.get());
  if (!peer) {
    close_socket(kUnknownUser, std::move(socket));
    return;
  }
  const auto found = users_.find(peer->uid);
  const std::uint32_t has = found == users_.end() ? 0 : found->second.connections;
  const auto root = users_.find(0);
  const std::size_t others =
      connections_.size() - (root == users_.end() ? 0 : root->second.connections);
  if (has >= limits_of(peer->uid).connections + kToBeTold ||
      (peer->uid != 0 && others >= options_.max_connections)) {
    ++counters_.expelled;
    close_socket(peer->uid, std::move(socket));
    return;
  }
  ++users_[peer->uid].connections;
  auto connection = std::make_unique<Connection>(*this, std::move(socket), *peer);
  if (!connection->watch()) {
    return;
  }
  const Connection* key = connection.get();
  connections_.emplace(key, std::move(connection));
}

void Service::drain_engine() {
  engine_.drain();
  forget_ended();
}

void Service::forget_ended() {
  for (const RegistrationId id : engine_.take_ended()) {
    if (const auto owner = owners_.find(id); owner != owners_.end()) {
      owner->second->forget(id);
      owners_.erase(owner);
    }
  }
}

void Service::drop(const Connection& connection) {
  std::erase(paused_connections_, &connection);
  connections_.erase(&connection);
  // Ending its registrations may reveal that others have ended.
  forget_ended();
}

ServiceCounters Service::counters() const {
  ServiceCounters now = counters_;
  now.connections = static_cast<std::uint32_t>(connections_.size());
  now.unclosed = disposer_->pending();
  return now;
}

}  // namespace evictd::notify
