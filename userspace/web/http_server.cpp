// SPDX-License-Identifier: Apache-2.0
#include "web/http_server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "web/connection.h"

namespace evictd::web {

namespace {

/// Requests per connection; then the client must connect again and compete for a slot.
constexpr std::size_t kMostRequests = 100;
/// No endpoint takes a body.
constexpr std::size_t kLargestBody = 4096;

constexpr std::string_view kNoRoom =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

}  // namespace

class HttpServer::Workers final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override {
    {
      const std::lock_guard lock(mutex_);
      if (running_ < kMostConnections) {
        ++running_;
        std::thread([this, serve = std::move(serve)] { run(serve); }).detach();
        return;
      }
    }
    // In the accepting thread; process_and_close_socket() then rejects the connection.
    serve();
  }

  /// Waits until the last connection is closed.
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void run(const std::function<void()>& serve) {
    serve();
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
};

HttpServer::HttpServer(base::Fd listener, SslContext tls, base::WakeUp stop)
    : tls_(std::move(tls)), stop_(std::move(stop)), listener_(listener.get()) {
  new_task_queue = [] { return new Workers; };
  set_payload_max_length(kLargestBody);
  // The library waits in accept(2).
  ::fcntl(listener_, F_SETFL, 0);
  svr_sock_ = listener.release();
}

bool HttpServer::serve() {
  accepting_ = std::this_thread::get_id();
  static_cast<void>(listen_after_bind());
  return ending_;
}

void HttpServer::end() {
  ending_ = true;
  stop_.signal();
  // Makes accept(2) fail; the library closes the socket.
  ::shutdown(listener_, SHUT_RDWR);
}

bool HttpServer::process_and_close_socket(::socket_t socket) {
  base::Fd descriptor(socket);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  if (std::this_thread::get_id() == accepting_) {
    ++rejected_;
    if (!tls_) {
      static_cast<void>(
          ::send(socket, kNoRoom.data(), kNoRoom.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
    return true;
  }
  SslConnection ssl(tls_ ? SSL_new(tls_.get()) : nullptr);
  SSL* const handle = ssl.get();
  if (handle != nullptr) {
    SSL_set_fd(handle, socket);
  }
  Connection connection(std::move(descriptor), std::move(ssl), stop_.descriptor());
  if (!connection.begin()) {
    return false;
  }
  bool served = true;
  for (std::size_t i = 1; served && i <= kMostRequests && connection.wait_for_request(); ++i) {
    connection.start_request();
    bool closed = false;
    served = process_request(connection, i == kMostRequests || ending_, closed, nullptr) && !closed;
  }
  if (handle != nullptr) {
    SSL_shutdown(handle);
  }
  return served;
}

}  // namespace evictd::web
