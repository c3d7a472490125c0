// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "base/event_loop.h"
#include "base/fd.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "base/unix_socket.h"
#include "evictd/abi/notify_wire.h"
#include "evictd/result.h"
#include "notify/disposer.h"
#include "notify/engine.h"
#include "notify/request_budget.h"

namespace evictd::notify {

/// Limits for one user of the service.
struct UserLimits {
  std::uint32_t connections = 32;
  std::uint32_t registrations = 1024;
  /// Files that OOM registrations keep open on cgroup v2.
  std::uint32_t oom_files = 2048;
};

struct ServiceOptions {
  std::filesystem::path path = EVICTD_NOTIFY_SOCKET;
  /// Permission bits of the socket file. Everybody may connect; credentials decide what they may
  /// do.
  mode_t mode = 0666;
  /// For each uid except root.
  UserLimits user{};
  UserLimits root{.connections = 1024, .registrations = 65536, .oom_files = 32768};
  /// For all users except root together.
  std::uint32_t max_connections = 512;
  std::uint32_t max_registrations = 32768;
  std::uint32_t max_oom_files = 16384;
};

/// Counters for status.
struct ServiceCounters {
  std::uint32_t connections = 0;
  /// Requests answered with an error.
  std::uint64_t refused = 0;
  /// Connections closed because of invalid messages, or because the client did not read replies.
  std::uint64_t expelled = 0;
  /// Times that accepting stopped because too many sockets were still unclosed (see Disposer).
  std::uint64_t held_back = 0;
  /// Descriptors of clients that are not closed yet.
  std::size_t unclosed = 0;
  /// Times that a connection, or new connections, were left unread for a while because requests had
  /// taken too much time.
  std::uint64_t put_off = 0;
};

/// Serves an Engine on a SOCK_SEQPACKET unix socket (docs/notify_protocol.md).
///
/// No client can delay the loop or another client: messages have a fixed size, each turn reads only
/// a few, the service never waits to send a reply, and the CPU time of a user's requests is limited
/// (RequestBudget).
/// Thread rule: everything belongs to the thread that runs the loop.
class Service final : private base::ReadyHandler {
 public:
  /// Listens from now on. `loop` and `engine` are borrowed; the loop drains the engine.
  /// Errors: as base::listen_unix().
  [[nodiscard]] static Result<std::unique_ptr<Service>> create(const ServiceOptions& options,
                                                               base::EventLoop& loop,
                                                               Engine& engine);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  /// Closes every connection, ends their registrations and removes the socket file.
  ~Service() override;

  [[nodiscard]] ServiceCounters counters() const;

 private:
  class Connection;
  /// Resources used by one uid.
  struct Usage {
    std::uint32_t connections = 0;
    std::uint32_t registrations = 0;
  };
  using Ready = base::MemberHandler<Service>;
  /// Charges a user for the time until it is destroyed.
  class Spending;
  struct Wakers {
    base::WakeUp closed;
    base::Timer pause;
  };

  Service(ServiceOptions options, base::EventLoop& loop, Engine& engine, std::uint64_t instance,
          Wakers wakers);
  [[nodiscard]] Result<> listen();
  void on_ready(std::uint32_t events) override;
  [[nodiscard]] base::Fd accept() const;
  /// Accepts some of the waiting connections.
  void accept_waiting();
  void accept_one(base::Fd socket);
  /// Stops accepting until enough sockets are closed.
  void stop_accepting();
  void accept_again_if_closed();
  /// Whether to read requests of `connection`; if not, it stays unread for a while.
  [[nodiscard]] bool may_read_requests(Connection& connection);
  /// Stops accepting for a while.
  void pause_listener();
  void begin_pause();
  /// Resumes reading from everybody who was put off.
  void end_pause();
  /// Ends a connection of `uid`.
  void close_socket(uid_t uid, base::Fd socket);
  /// Accepts and closes one connection although descriptors have run out, so that the listener does
  /// not stay ready.
  void reject_without_descriptor();
  void drain_engine();
  /// Updates owners' accounts for registrations that ended by themselves. Any modifying call of the
  /// Engine may have ended some.
  void forget_ended();
  [[nodiscard]] const UserLimits& limits_of(uid_t uid) const;
  /// 0, or the errno to refuse one more registration of this user with.
  [[nodiscard]] int check_room(uid_t uid) const;
  /// Destroys `connection`; the caller must not use it afterwards.
  void drop(const Connection& connection);

  ServiceOptions options_;
  base::EventLoop& loop_;
  Engine& engine_;
  std::uint64_t instance_;
  base::Fd listener_;
  base::Fd reserve_descriptor_;
  Ready engine_ready_{*this, &Service::drain_engine};
  Ready closed_ready_{*this, &Service::accept_again_if_closed};
  Ready pause_over_{*this, &Service::end_pause};
  /// Signalled when sockets have been closed.
  std::shared_ptr<const base::WakeUp> closed_;
  std::shared_ptr<Disposer> disposer_;
  std::map<uid_t, Usage> users_;
  std::map<const Connection*, std::unique_ptr<Connection>> connections_;
  std::map<RegistrationId, Connection*> owners_;
  RequestBudget budget_;
  base::Timer pause_;
  bool pausing_ = false;
  /// Not in the loop until the pause is over, in the order in which they resume.
  std::vector<Connection*> paused_connections_;
  bool listener_paused_ = false;
  ServiceCounters counters_;
};

}  // namespace evictd::notify
