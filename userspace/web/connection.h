// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>

#include "base/fd.h"

namespace evictd::web {

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslConnection = std::unique_ptr<SSL, SslDeleter>;

/// One client's connection, plain or with TLS. The library's own has a time-out for each call only,
/// so that a client that sends a byte now and then holds it for ever; here a whole request has one.
class Connection final : public httplib::Stream {
 public:
  /// `socket` does not block. Without `ssl` it is plain. `stop` becomes readable when no further
  /// request is to be waited for.
  Connection(base::Fd socket, SslConnection ssl, int stop)
      : socket_(std::move(socket)), ssl_(std::move(ssl)), stop_(stop) {}

  /// The handshake of TLS, if there is one; false if it fails or takes longer than a request may.
  [[nodiscard]] bool begin();
  /// Waits for the first byte of another request; false if none comes while it may be idle.
  [[nodiscard]] bool wait_for_request() const;
  /// The time for a request runs from here.
  void start_request();

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  /// -1 once the request's time is over.
  ssize_t read(char* data, std::size_t size) override;
  /// All of `data`, or -1. Each call has a time of its own: a stream of events lasts longer than a
  /// request.
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] ::socket_t socket() const override { return socket_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Waits for `events` until `deadline`.
  [[nodiscard]] bool wait(short events, Clock::time_point deadline) const;
  /// What an SSL call that did not succeed waits for; 0 if it failed.
  [[nodiscard]] short wanted_events(int result) const;

  base::Fd socket_;
  SslConnection ssl_;
  int stop_;
  Clock::time_point deadline_ = Clock::now();
};

}  // namespace evictd::web
