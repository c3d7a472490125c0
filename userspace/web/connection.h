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

/// One client's connection, plain or with TLS. The library's own class limits each call only, so a
/// client that sends a byte now and then holds it forever. This class limits the whole request.
class Connection final : public httplib::Stream {
 public:
  /// `socket` is non-blocking. Without `ssl` the connection is plain. `stop` becomes readable when
  /// the connection must not wait for another request.
  Connection(base::Fd socket, SslConnection ssl, int stop)
      : socket_(std::move(socket)), ssl_(std::move(ssl)), stop_(stop) {}

  /// Does the TLS handshake, if any. Returns false if it fails or takes longer than a request may.
  [[nodiscard]] bool begin();
  /// Waits for the first byte of another request. Returns false if none comes within the idle time.
  [[nodiscard]] bool wait_for_request() const;
  /// Starts the time limit of a request.
  void start_request();

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  /// Returns -1 once the request's time is over.
  ssize_t read(char* data, std::size_t size) override;
  /// Writes all of `data`, or returns -1. Each call has its own time limit: a stream of events
  /// lasts longer than a request.
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] ::socket_t socket() const override { return socket_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Waits for `events` until `deadline`.
  [[nodiscard]] bool wait(short events, Clock::time_point deadline) const;
  /// The events that an unfinished SSL call waits for; 0 if the call failed.
  [[nodiscard]] short wanted_events(int result) const;

  base::Fd socket_;
  SslConnection ssl_;
  int stop_;
  Clock::time_point deadline_ = Clock::now();
};

}  // namespace evictd::web
