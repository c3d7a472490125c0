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

namespace evictd::web {

struct SslContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, SslContextDeleter>;

/// The library's server with bounds of our own: connections at a time, time of a request, size of a
/// request. One connection more than it serves is told so and closed.
class HttpServer final : public httplib::Server {
 public:
  static constexpr std::size_t kMostConnections = 64;

  /// Serves connections to `listener`, which listens already; with TLS where there is a context.
  HttpServer(base::Fd listener, SslContext tls, base::Fd stop);

  /// Serves until end(). False if it ended for another reason.
  [[nodiscard]] bool serve();
  /// Ends serve(), from any thread, once the requests in progress were answered.
  void end();

  /// Connections that were turned away.
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

 private:
  /// Runs a connection in a thread of its own while there is room, and its rejection at once.
  class Workers;

  bool process_and_close_socket(::socket_t socket) override;

  SslContext tls_;
  base::Fd stop_;  ///< An eventfd.
  int listener_;
  std::atomic<bool> ending_{false};
  std::thread::id accepting_;  ///< The thread of serve(): it serves nobody itself.
  std::atomic<std::uint64_t> rejected_{0};
};

}  // namespace evictd::web
