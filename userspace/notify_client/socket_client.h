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

/// A client of evictd's notification socket that outlives evictd: when the connection ends, its own
/// thread waits for the socket to come back, registers everything anew, and then adds 1 to each
/// eventfd, once a gap. What cannot be registered for want of something is tried again until it
/// can be, which its eventfd is told too.
class SocketClient final : public Client {
 public:
  struct Timing {
    /// Of one request.
    Duration request = std::chrono::seconds(5);
    /// Between two tries with a socket that is there and does not serve us, and with what could not
    /// be registered anew; the coming of a socket is an event and waits for nothing, unless the
    /// user's inotify instances are used up.
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
  [[nodiscard]] Result<evictd_notify_state> look(std::uint64_t id) override;
  [[nodiscard]] evictd_notify_info info() override;

 private:
  struct Registration {
    std::shared_ptr<base::Fd> cgroup;
    evictd_notify_watch watch;
    EventFdName eventfd;
    /// Held only where a closed eventfd cannot be told from an open one.
    base::Fd kept;
    /// The server's number of it, 0 while it has none.
    std::uint64_t number = 0;
    /// Why the server has it not, 0 if it has: ENOTCONN before it was asked, else what it or the
    /// kernel said.
    int error = 0;
    /// Its reader is still to be told that `error` is another one, so of a gap.
    bool is_owed = false;
  };
  using Registrations = std::map<std::uint64_t, Registration>;
  /// What ends the waiting of the thread while it is connected.
  enum class Occasion { kLost, kRetry, kStop };

  SocketClient(std::string path, Timing timing, Connection connection, base::Fd stop);

  /// What the thread does until the end.
  void run();
  /// Waits for the next change of the connection and does what it asks for. False to end.
  [[nodiscard]] bool follow();
  /// Returns when the server has gone, or after `retry` if something is `unfinished`.
  [[nodiscard]] Occasion await_loss(int connection, bool unfinished) const;
  /// False where the coming of the socket is no event: the user has no inotify instance left.
  [[nodiscard]] bool expect_socket();
  /// One try; waits for the next occasion if it fails. False to end.
  [[nodiscard]] bool await_return();
  /// False if the connection broke on the way: another gap follows, whose end tells everybody.
  [[nodiscard]] bool take_up(Connection connection);
  /// Registers what the server has not and may take now. False if the connection broke on the way.
  [[nodiscard]] bool renew();
  /// False if it is to be forgotten: its eventfd was closed.
  [[nodiscard]] bool renew(Registration& registration);
  /// Adds 1 to each eventfd that is owed it, once where several registrations share it.
  void tell();
  /// Whether something is left for renew() or tell().
  [[nodiscard]] bool is_unfinished() const;

  /// Errors: EBADF if the eventfd was closed; else whether it was cannot be told now.
  [[nodiscard]] static Result<base::Fd> hold(const Registration& registration);
  [[nodiscard]] Result<std::uint64_t> send(const Registration& registration, int eventfd);
  /// One descriptor for all registrations of one cgroup.
  [[nodiscard]] std::shared_ptr<base::Fd> share(base::Fd cgroup);
  /// Forgets what has ended without a word: closed eventfds, removed cgroups. Costs a few system
  /// calls for each registration, so it is done when their number has doubled.
  void sweep();

  const std::string path_;
  const Timing timing_;
  base::Fd stop_;
  /// The thread's, and there while evictd is gone: inotify instances are few.
  std::optional<PathWait> socket_wait_;

  mutable std::mutex mutex_;
  std::optional<Connection> connection_;  ///< Made and destroyed by the thread only.
  evictd_notify_hello_reply server_{};
  Registrations registrations_;
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<base::Fd>> cgroups_;
  std::uint64_t last_id_ = 0;
  std::size_t sweep_at_;
  std::uint32_t gaps_ = 0;

  std::thread thread_;
};

}  // namespace evictd::notify_client
