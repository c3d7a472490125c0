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

/// One greeted connection to evictd's notification socket (docs/notify_protocol.md). One request at
/// a time; not thread-safe. Every error has its `sys_errno`.
class Connection {
 public:
  /// Connects and sends HELLO. Blocks at most for `timeout`, as does every request.
  /// Errors: as evictd_notify_open().
  [[nodiscard]] static Result<Connection> open(const std::string& path, Duration timeout);

  /// The server's reply to HELLO.
  [[nodiscard]] const evictd_notify_hello_reply& server() const { return server_; }

  /// Passes `eventfd` to the server. `number` is the client's descriptor of it (-1: none).
  [[nodiscard]] Result<std::uint64_t> add(const evictd_notify_watch& watch, int cgroup, int eventfd,
                                          int number);
  /// Errors: ENOENT, or ENOTCONN, ETIMEDOUT for a broken connection.
  [[nodiscard]] Result<> remove(std::uint64_t registration);
  /// Errors: as remove().
  [[nodiscard]] Result<evictd_notify_list_reply> query(std::uint64_t registration);

  /// Poll it for POLLRDHUP. The connection also ends if a request got no proper reply, because the
  /// server's handling of that request is unknown.
  [[nodiscard]] int fd() const { return socket_.get(); }
  /// Whether a request found the connection broken, as opposed to being refused by the server.
  [[nodiscard]] bool is_broken() const { return broken_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  Connection(base::Fd socket, Duration timeout);

  [[nodiscard]] Result<> greet();
  /// Sends one message and receives its reply, which starts with a header and the error.
  [[nodiscard]] Result<> exchange(std::span<const std::byte> request, std::span<const int> attached,
                                  std::span<std::byte> reply);
  [[nodiscard]] Result<> send(std::span<const std::byte> request, std::span<const int> attached,
                              Deadline deadline);
  [[nodiscard]] Result<std::size_t> receive(std::span<std::byte> reply, Deadline deadline);
  [[nodiscard]] Result<> wait(short events, Deadline deadline) const;
  template <typename Reply, typename Request>
  [[nodiscard]] Result<Reply> ask(Request request, evictd_notify_message type,
                                  std::span<const int> attached = {});
  /// Ends the connection and returns the error.
  [[nodiscard]] Failure broken(int error, const char* what);

  base::Fd socket_;
  Duration timeout_;
  std::uint64_t last_request_ = 0;
  bool broken_ = false;
  evictd_notify_hello_reply server_{};
};

}  // namespace evictd::notify_client
