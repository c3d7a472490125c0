// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/fd.h"
#include "evictd/abi/notify_wire.h"
#include "evictd/notify.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::notify_client {

/// One connection to the notification socket of evictd, greeted (docs/notify_protocol.md). One
/// request at a time; not for several threads. Every error has its `sys_errno`.
class Connection {
 public:
  /// Connects and says hello. Blocks, at most `timeout`, as every request does.
  /// Errors: as evictd_notify_open().
  [[nodiscard]] static Result<Connection> open(const std::string& path, Duration timeout);

  /// What the server said of itself.
  [[nodiscard]] const evictd_notify_hello_reply& server() const { return server_; }

  /// `eventfd` is given to the server, `number` tells it where the client has it (-1: nowhere).
  [[nodiscard]] Result<std::uint64_t> add(const evictd_notify_watch& watch, int cgroup, int eventfd,
                                          int number);
  /// Errors: ENOENT, or those of a broken connection: ENOTCONN, ETIMEDOUT.
  [[nodiscard]] Result<> remove(std::uint64_t registration);
  /// Errors: as remove().
  [[nodiscard]] Result<evictd_notify_list_reply> look(std::uint64_t registration);

  /// To be polled for POLLRDHUP. A connection on which a request got no proper answer ends, too: of
  /// what the server makes of such a request nothing is known.
  [[nodiscard]] int fd() const { return socket_.get(); }
  /// Whether a request found it so, as opposed to one that the server has refused.
  [[nodiscard]] bool is_broken() const { return broken_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  Connection(base::Fd socket, Duration timeout);

  [[nodiscard]] Result<> greet();
  /// Sends one message and receives its answer, which begins with a header and the error.
  [[nodiscard]] Result<> exchange(std::span<const std::byte> request, std::span<const int> attached,
                                  std::span<std::byte> reply);
  [[nodiscard]] Result<> send(std::span<const std::byte> request, std::span<const int> attached,
                              Deadline deadline);
  [[nodiscard]] Result<std::size_t> receive(std::span<std::byte> reply, Deadline deadline);
  [[nodiscard]] Result<> wait(short events, Deadline deadline) const;
  template <typename Reply, typename Request>
  [[nodiscard]] Result<Reply> ask(Request request, evictd_notify_message type,
                                  std::span<const int> attached = {});
  /// Ends the connection; the error to return.
  [[nodiscard]] Failure broken(int error, const char* what);

  base::Fd socket_;
  Duration timeout_;
  std::uint64_t last_request_ = 0;
  bool broken_ = false;
  evictd_notify_hello_reply server_{};
};

}  // namespace evictd::notify_client
