// SPDX-License-Identifier: Apache-2.0
#include "notify_client/socket_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <set>
#include <system_error>

#include "evictd/try.h"
#include "notify_client/passing_error.h"
#include "notify_client/quiet_thread.h"

namespace evictd::notify_client {
namespace {

constexpr std::size_t kFirstSweep = 64;

/// Starts a thread with all signals blocked.
template <typename Function>
Result<std::thread> start_quiet_thread(Function function) {
  const SignalsBlocked quiet;
  Result<std::thread> thread = fail_errno(EAGAIN, "start a thread");
  try {
    thread = std::thread(function);
  } catch (const std::system_error& error) {
    thread = fail_errno(error.code().value(), "start a thread");
  }
  return thread;
}

bool is_removed(const base::Fd& cgroup) {
  return ::faccessat(cgroup.get(), "cgroup.procs", F_OK, 0) != 0 &&
         (errno == ENOENT || errno == ENODEV);
}

bool is_closed(const Result<base::Fd>& held) {
  return !held && held.error().sys_errno == EBADF;
}

/// Whether a registration that failed with `error` is tried again at the next occasion.
bool is_due(int error) {
  return error == ENOTCONN || is_passing(error);
}

int poll_timeout(Duration duration) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

SocketClient::SocketClient(std::string path, Timing timing, Connection connection, base::Fd stop)
    : path_(std::move(path)),
      timing_(timing),
      stop_(std::move(stop)),
      connection_(std::move(connection)),
      server_(connection_->server()),
      sweep_at_(kFirstSweep) {}

Result<std::unique_ptr<SocketClient>> SocketClient::create(std::string path, Timing timing) {
  EVICTD_ASSIGN_OR_RETURN(Connection connection, Connection::open(path, timing.request));
  base::Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop) {
    return fail_errno(errno, "make an eventfd");
  }
  std::unique_ptr<SocketClient> client(
      new SocketClient(std::move(path), timing, std::move(connection), std::move(stop)));
  EVICTD_ASSIGN_OR_RETURN(client->thread_,
                          start_quiet_thread([self = client.get()] { self->run(); }));
  return client;
}

SocketClient::~SocketClient() {
  if (thread_.joinable()) {
    add_one(stop_.get());
    thread_.join();
  }
  // The end of the connection would also end them, but only when the server notices.
  for (const auto& [id, registration] : registrations_) {
    if (!connection_ || connection_->is_broken()) {
      break;
    }
    if (registration.error == 0) {
      (void)connection_->remove(registration.number);
    }
  }
}

Result<base::Fd> SocketClient::hold(const Registration& registration) {
  if (registration.eventfd.id) {
    return hold_eventfd(registration.eventfd);
  }
  base::Fd held(::fcntl(registration.kept.get(), F_DUPFD_CLOEXEC, 3));
  if (!held) {
    return fail_errno(errno, "eventfd");
  }
  return held;
}

Result<std::uint64_t> SocketClient::send(const Registration& registration, int eventfd) {
  if (!connection_) {
    return fail_errno(ENOTCONN, "evictd has gone");
  }
  return connection_->add(registration.watch, registration.cgroup->get(), eventfd,
                          registration.eventfd.id ? registration.eventfd.number : -1);
}

std::shared_ptr<base::Fd> SocketClient::share(base::Fd cgroup) {
  struct stat status {};
  if (::fstat(cgroup.get(), &status) != 0) {
    return std::make_shared<base::Fd>(std::move(cgroup));
  }
  std::weak_ptr<base::Fd>& known = cgroups_[{status.st_dev, status.st_ino}];
  std::shared_ptr<base::Fd> shared = known.lock();
  if (!shared) {
    shared = std::make_shared<base::Fd>(std::move(cgroup));
    known = shared;
  }
  return shared;
}

void SocketClient::sweep() {
  for (auto it = registrations_.begin(); it != registrations_.end();) {
    // A closed eventfd that cannot be told from an open one is left to the next sweep.
    if (!is_closed(hold(it->second)) && !is_removed(*it->second.cgroup)) {
      ++it;
      continue;
    }
    if (connection_ && it->second.error == 0) {
      // The server may have ended it by itself; the thread handles a lost connection.
      (void)connection_->remove(it->second.number);
    }
    it = registrations_.erase(it);
  }
  std::erase_if(cgroups_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max(kFirstSweep, 2 * registrations_.size());
}

Result<std::uint64_t> SocketClient::add(base::Fd cgroup, const evictd_notify_watch& watch,
                                        int eventfd) {
  EVICTD_ASSIGN_OR_RETURN(EventFdName name, name_eventfd(eventfd));
  // Checked here as well: for a cgroup that is known already, the known descriptor is sent instead.
  if (const int flags = ::fcntl(cgroup.get(), F_GETFL); flags < 0 || (flags & O_PATH) != 0) {
    return fail_errno(EBADF, "cgroup");
  }
  const std::lock_guard lock(mutex_);
  if (registrations_.size() >= sweep_at_) {
    sweep();
  }
  Registration registration{.cgroup = share(std::move(cgroup)),
                            .watch = watch,
                            .eventfd = name,
                            .kept = {},
                            .number = 0,
                            .error = 0,
                            .needs_signal = false};
  if (!name.id) {
    registration.kept.reset(::fcntl(eventfd, F_DUPFD_CLOEXEC, 3));
    if (!registration.kept) {
      return fail_errno(errno, "eventfd");
    }
  }
  EVICTD_ASSIGN_OR_RETURN(const base::Fd held, hold(registration));
  // The map entry first: a registration that evictd accepted must not be lost for lack of memory.
  const auto [place, fresh] = registrations_.try_emplace(last_id_ + 1, std::move(registration));
  const Result<std::uint64_t> number = send(place->second, held.get());
  if (!number) {
    registrations_.erase(place);
    return Failure(number.error());
  }
  place->second.number = *number;
  return ++last_id_;
}

Result<> SocketClient::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = registrations_.find(id);
  if (found == registrations_.end()) {
    return fail_errno(ENOENT, "registration");
  }
  const Registration removed = std::move(found->second);
  registrations_.erase(found);
  // Nothing is left in any case: the registration or the connection has ended.
  if (connection_ && removed.error == 0) {
    (void)connection_->remove(removed.number);
  }
  return {};
}

Result<evictd_notify_state> SocketClient::query(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = registrations_.find(id);
  if (found == registrations_.end()) {
    return fail_errno(ENOENT, "registration");
  }
  evictd_notify_state state{};
  state.side = EVICTD_NOTIFY_NO_SIDE;
  state.error = connection_ ? found->second.error : ENOTCONN;
  if (state.error != 0) {
    return state;
  }
  const Result<evictd_notify_list_reply> reply = connection_->query(found->second.number);
  if (reply) {
    state.side = reply->side;
    state.value = reply->value;
    state.deliveries = reply->deliveries;
  } else if (reply.error().sys_errno == ENOENT) {
    state.error = ENODEV;
  } else if (reply.error().sys_errno == ENOTCONN) {
    state.error = ENOTCONN;
  } else {
    return Failure(reply.error());
  }
  return state;
}

evictd_notify_info SocketClient::info() {
  const std::lock_guard lock(mutex_);
  evictd_notify_info info{};
  info.connected = connection_ ? 1 : 0;
  info.backend = server_.backend;
  info.signals = server_.signals;
  info.registrations = static_cast<std::uint32_t>(registrations_.size());
  info.max_registrations = server_.max_registrations;
  info.gaps = gaps_;
  return info;
}

SocketClient::Occasion SocketClient::await_loss(int connection, bool unfinished) const {
  std::array<pollfd, 2> waited{{{.fd = connection, .events = POLLRDHUP, .revents = 0},
                                {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
  const int timeout = unfinished ? poll_timeout(timing_.retry) : -1;
  int ready = 0;
  do {
    ready = ::poll(waited.data(), waited.size(), timeout);
  } while (ready < 0 && errno == EINTR);
  if (waited[1].revents != 0) {
    return Occasion::kStop;
  }
  return ready == 0 ? Occasion::kRetry : Occasion::kLost;
}

bool SocketClient::expect_socket() {
  if (!socket_wait_) {
    Result<PathWait> made = PathWait::create(path_);
    if (!made) {
      return false;
    }
    socket_wait_.emplace(std::move(*made));
  }
  return socket_wait_->arm().has_value();
}

bool SocketClient::await_return() {
  // This order misses nothing: a change after the check is an event.
  const bool is_expected = expect_socket();
  Result<Connection> connection = Connection::open(path_, timing_.request);
  const int error = connection ? 0 : connection.error().sys_errno;
  const bool is_back = connection && use_connection(std::move(*connection));
  const bool comes_with_event = is_expected && error == ENOENT;
  const int timeout = is_back ? 0 : comes_with_event ? -1 : poll_timeout(timing_.retry);
  if (is_back) {
    socket_wait_.reset();
  }
  const int socket_event = socket_wait_ ? socket_wait_->fd() : -1;
  std::array<pollfd, 2> waited{{{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                {.fd = socket_event, .events = POLLIN, .revents = 0}}};
  while (::poll(waited.data(), waited.size(), timeout) < 0 && errno == EINTR) {
  }
  return waited[0].revents == 0;
}

bool SocketClient::use_connection(Connection connection) {
  const std::lock_guard lock(mutex_);
  server_ = connection.server();
  connection_ = std::move(connection);
  for (auto& [id, registration] : registrations_) {
    registration.number = 0;
    registration.error = ENOTCONN;
  }
  if (!renew()) {
    connection_.reset();
    return false;
  }
  ++gaps_;
  return true;
}

bool SocketClient::renew(Registration& registration) {
  if (!is_due(registration.error)) {
    return true;
  }
  const Result<base::Fd> held = hold(registration);
  if (is_closed(held)) {
    return false;
  }
  const Result<std::uint64_t> number =
      held ? send(registration, held->get()) : Failure(held.error());
  const int before = std::exchange(registration.error, number ? 0 : number.error().sys_errno);
  registration.number = number.value_or(0);
  // Without a descriptor of the eventfd it cannot be signalled either.
  registration.needs_signal = registration.needs_signal || (held && registration.error != before);
  return true;
}

bool SocketClient::renew() {
  for (auto it = registrations_.begin(); it != registrations_.end();) {
    it = renew(it->second) ? std::next(it) : registrations_.erase(it);
    if (connection_->is_broken()) {
      return false;
    }
  }
  tell();
  return true;
}

void SocketClient::tell() {
  std::set<std::uint64_t> told;
  for (auto& [id, registration] : registrations_) {
    const std::optional<std::uint64_t> eventfd = registration.eventfd.id;
    if (!registration.needs_signal || (eventfd && told.contains(*eventfd))) {
      registration.needs_signal = false;
      continue;
    }
    const Result<base::Fd> held = hold(registration);
    if (held) {
      add_one(held->get());
    }
    registration.needs_signal = !held && !is_closed(held);
    if (held && eventfd) {
      told.insert(*eventfd);
    }
  }
}

bool SocketClient::is_unfinished() const {
  return std::any_of(registrations_.begin(), registrations_.end(), [](const auto& entry) {
    return entry.second.needs_signal || is_due(entry.second.error);
  });
}

bool SocketClient::follow() {
  std::unique_lock lock(mutex_);
  const int connection = connection_ ? connection_->fd() : -1;
  const bool unfinished = is_unfinished();
  lock.unlock();
  if (connection < 0) {
    return await_return();
  }
  const Occasion occasion = await_loss(connection, unfinished);
  if (occasion == Occasion::kStop) {
    return false;
  }
  lock.lock();
  if (occasion == Occasion::kLost || !renew()) {
    connection_.reset();
  }
  return true;
}

void SocketClient::run() {
  bool goes_on = true;
  while (goes_on) {
    try {
      goes_on = follow();
    } catch (const std::bad_alloc&) {
      // A library thread must not end its host's process: this counts as another gap, once there is
      // memory.
      const std::lock_guard lock(mutex_);
      connection_.reset();
    }
  }
}

}  // namespace evictd::notify_client
