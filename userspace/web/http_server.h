// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/fd.h"
#include "base/timer.h"

namespace evictd::web {

struct SslContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, SslContextDeleter>;

/// The library's server with additional limits: number of connections, time and size of a request.
/// A connection beyond the limit gets an error answer and is closed.
class HttpServer final : public httplib::Server {
 public:
  static constexpr std::size_t kMostConnections = 64;

  /// Serves connections to `listener`, which listens already; with TLS if a context is given.
  HttpServer(base::Fd listener, SslContext tls, base::WakeUp stop);

  /// Serves until end(). Returns false if it stopped for another reason.
  [[nodiscard]] bool serve();
  /// Stops serve() after the requests in progress are answered. Any thread may call it.
  void end();

  /// Number of refused connections.
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

 private:
  /// Runs a connection in its own thread while the limit allows it; rejects it at once otherwise.
  class Workers;

  bool process_and_close_socket(::socket_t socket) override;

  SslContext tls_;
  base::WakeUp stop_;
  int listener_;
  std::atomic<bool> ending_{false};
  std::thread::id accepting_;  ///< The thread of serve(); it serves no client itself.
  std::atomic<std::uint64_t> rejected_{0};
};

}  // namespace evictd::web
