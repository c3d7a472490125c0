// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/system_clock.h"
#include "base/timer.h"
#include "counted_eventfd.h"
#include "notify/make_engine.h"
#include "notify/service.h"
#include "support/temporary_directory.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {

inline constexpr std::uint64_t kMegabyte = 1 << 20;

/// A raw connection.
class RawClient {
 public:
  explicit RawClient(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 20, .tv_usec = 0};  // so that a failing test ends
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
      throw std::runtime_error("connect to " + path.string());
    }
  }

  template <typename Message>
  bool send(Message message, const std::vector<int>& descriptors = {}) const {
    iovec part{.iov_base = &message, .iov_len = sizeof(message)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (!descriptors.empty()) {
      const std::size_t bytes = descriptors.size() * sizeof(int);
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
    }
    return ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(message));
  }
  /// The next reply; its error is -1 when the server has closed the connection.
  template <typename Reply>
  Reply receive() const {
    Reply reply{};
    const ssize_t size = ::recv(socket_.get(), &reply, sizeof(reply), 0);
    if (size != static_cast<ssize_t>(sizeof(reply))) {
      reply.error = size <= 0 ? -1 : -2;
    }
    return reply;
  }
  bool is_closed() const {
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, 0) <= 0;
  }

  std::int32_t hello() const {
    send(evictd_notify_hello{.header = header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
    return receive<evictd_notify_hello_reply>().error;
  }
  evictd_notify_register_reply ask(const std::vector<int>& descriptors, std::uint64_t threshold,
                                   int number = -1) const {
    evictd_notify_register_request wish{};
    wish.header = header(EVICTD_NOTIFY_REGISTER);
    wish.threshold = threshold;
    wish.eventfd = number;
    send(wish, descriptors);
    return receive<evictd_notify_register_reply>();
  }

  evictd_notify_status_reply status() const {
    send(evictd_notify_status{.header = header(EVICTD_NOTIFY_STATUS)});
    return receive<evictd_notify_status_reply>();
  }
  /// Bytes as they are.
  bool send_bytes(const void* bytes, std::size_t size) const {
    return ::send(socket_.get(), bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }
  [[nodiscard]] int descriptor() const { return socket_.get(); }

  static evictd_notify_header header(std::uint32_t type) {
    return {.magic = EVICTD_NOTIFY_MAGIC, .type = type, .request_id = 42};
  }

 private:
  base::Fd socket_;
};

/// A service on a socket of its own, a thread that serves it, and a cgroup to work in.
class NotifyService : public testing::Test {
 protected:
  void SetUp() override {
    auto made = notify::make_engine({}, clock_);
    ASSERT_TRUE(made) << made.error().message();
    engine_ = std::move(made->engine);
    start({});
  }
  void start(notify::ServiceOptions options) {
    options.path = path_;
    auto service = notify::Service::create(options, loop_, *engine_);
    ASSERT_TRUE(service) << service.error().message();
    service_ = std::move(*service);
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    if (thread_.joinable()) {
      stop_.signal();
      thread_.join();
    }
    stop_.consume();
    service_.reset();
  }
  void TearDown() override { stop(); }

  base::SystemClock clock_;
  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "socket";
  TestCgroup cgroup_ = TestCgroup::create();
  CountedEventfd eventfd_;
  std::unique_ptr<notify::Engine> engine_;
  base::EventLoop loop_ = base::EventLoop::create().value();
  base::WakeUp stop_ = base::WakeUp::create().value();
  std::unique_ptr<notify::Service> service_;
  std::thread thread_;

 private:
  class Stop final : public base::ReadyHandler {
   public:
    void on_ready(std::uint32_t /*events*/) override { asked = true; }
    bool asked = false;
  };
  void run() {
    Stop stop;
    static_cast<void>(loop_.add(stop_.descriptor(), EPOLLIN, stop));
    while (!stop.asked) {
      static_cast<void>(loop_.run_once());
    }
    loop_.remove(stop_.descriptor(), stop);
  }
};

}  // namespace evictd::test
