// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "evictd/time.h"
#include "notify_client/client.h"
#include "notify_client/connection.h"
#include "notify_client/eventfd_name.h"
#include "notify_client/path_wait.h"

namespace evictd::notify_client {

/// A client of evictd's notification socket that survives restarts of evictd. When the connection
/// ends, its thread waits for the socket to reappear, registers everything again, and then adds 1
/// to each eventfd, once per gap. A registration that fails for lack of a resource is retried until
/// it succeeds; its eventfd is then signalled too.
class SocketClient final : public Client {
 public:
  struct Timing {
    /// Timeout of one request.
    Duration request = std::chrono::seconds(5);
    /// Pause between two tries, either to connect to a socket that exists but does not serve us, or
    /// to repeat failed registrations. The appearance of a socket is an event and needs no pause,
    /// unless the user's inotify instances are used up.
    Duration retry = std::chrono::seconds(1);
  };

  /// Errors: those of evictd_notify_open().
  [[nodiscard]] static Result<std::unique_ptr<SocketClient>> create(std::string path,
                                                                    Timing timing);
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;
  /// Unregisters everything.
  ~SocketClient() override;

  [[nodiscard]] Result<std::uint64_t> add(base::Fd cgroup, const evictd_notify_watch& watch,
                                          int eventfd) override;
  [[nodiscard]] Result<> remove(std::uint64_t id) override;
  [[nodiscard]] Result<evictd_notify_state> query(std::uint64_t id) override;
  [[nodiscard]] evictd_notify_info info() override;

 private:
  struct Registration {
    std::shared_ptr<base::Fd> cgroup;
    evictd_notify_watch watch;
    EventFdName eventfd;
    /// Held only if a closed eventfd cannot be told from an open one.
    base::Fd kept;
    /// The server's id of the registration; 0 while it has none.
    std::uint64_t number = 0;
    /// Why the server does not have the registration, 0 if it has: ENOTCONN before it was asked,
    /// else the error from the server or the kernel.
    int error = 0;
    /// The reader must still be signalled that `error` has changed, and thus of a gap.
    bool needs_signal = false;
  };
  using Registrations = std::map<std::uint64_t, Registration>;
  /// Why the thread stops waiting while it is connected.
  enum class Occasion { kLost, kRetry, kStop };

  SocketClient(std::string path, Timing timing, Connection connection, base::Fd stop);

  /// The thread's main function.
  void run();
  /// Waits for the next change of the connection and handles it. Returns false to stop.
  [[nodiscard]] bool follow();
  /// Returns when the server has gone, or after `retry` if something is `unfinished`.
  [[nodiscard]] Occasion await_loss(int connection, bool unfinished) const;
  /// Returns false if the socket's appearance is no event: the user has no inotify instance left.
  [[nodiscard]] bool expect_socket();
  /// Tries once to reconnect; waits for the next occasion if that fails. Returns false to stop.
  [[nodiscard]] bool await_return();
  /// Returns false if the connection broke meanwhile. Another gap follows, whose end signals
  /// everybody.
  [[nodiscard]] bool use_connection(Connection connection);
  /// Registers what the server lacks and can accept now. Returns false if the connection broke
  /// meanwhile.
  [[nodiscard]] bool renew();
  /// Returns false if the registration must be forgotten because its eventfd was closed.
  [[nodiscard]] bool renew(Registration& registration);
  /// Adds 1 to each eventfd that is owed it; only once if several registrations share an eventfd.
  void tell();
  /// Whether renew() or tell() has work left.
  [[nodiscard]] bool is_unfinished() const;

  /// Errors: EBADF if the eventfd was closed; any other error means that this is unknown now.
  [[nodiscard]] static Result<base::Fd> hold(const Registration& registration);
  [[nodiscard]] Result<std::uint64_t> send(const Registration& registration, int eventfd);
  /// Shares one descriptor among all registrations of a cgroup.
  [[nodiscard]] std::shared_ptr<base::Fd> share(base::Fd cgroup);
  /// Forgets registrations that ended silently: closed eventfds, removed cgroups. Costs a few
  /// system calls per registration, so it runs when their number has doubled.
  void sweep();

  const std::string path_;
  const Timing timing_;
  base::Fd stop_;
  /// Used by the thread, and set only while evictd is gone: inotify instances are few.
  std::optional<PathWait> socket_wait_;

  mutable std::mutex mutex_;
  std::optional<Connection> connection_;  ///< Created and destroyed only by the thread.
  evictd_notify_hello_reply server_{};
  Registrations registrations_;
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<base::Fd>> cgroups_;
  std::uint64_t last_id_ = 0;
  std::size_t sweep_at_;
  std::uint32_t gaps_ = 0;

  std::thread thread_;
};

}  // namespace evictd::notify_client
