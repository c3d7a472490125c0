// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/unix_socket.h"
#include "notify/engine.h"
#include "notify/service.h"
#include "saying_backend.h"
#include "support/temporary_directory.h"

namespace evictd::test {

inline evictd_notify_header request_header(std::uint32_t type) {
  return {.magic = EVICTD_NOTIFY_MAGIC, .type = type, .request_id = 7};
}

/// A service and one client of it in one thread.
class OneThreadService : public testing::Test {
 protected:
  explicit OneThreadService(MonoTime begin = kHandBegin) : clock_(begin) {}
  void SetUp() override {
    if (!any_cgroup()) {
      GTEST_SKIP() << "no cgroup is mounted";
    }
    auto backend = std::make_unique<SayingBackend>(clock_);
    backend_ = backend.get();
    auto engine = notify::Engine::create(std::move(backend), clock_);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    auto loop = base::EventLoop::create();
    ASSERT_TRUE(loop) << loop.error().message();
    loop_ = std::make_unique<base::EventLoop>(std::move(*loop));
    options_.path = directory_.path() / "socket";
    auto service = notify::Service::create(options_, *loop_, *engine_);
    ASSERT_TRUE(service) << service.error().message();
    service_ = std::move(*service);
    ASSERT_NO_FATAL_FAILURE(connect());
    const auto hello = ask<evictd_notify_hello_reply>(evictd_notify_hello{
        .header = request_header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
    ASSERT_EQ(hello.error, 0);
  }

  /// A client in the place of the one before, who goes.
  void connect() {
    auto client = base::connect_unix_packets(options_.path);
    ASSERT_TRUE(client) << client.error().message();
    client_ = std::move(*client);
  }
  /// Leaves a message to the service, which takes it when it runs.
  template <typename Request>
  void send(Request request, const std::vector<int>& descriptors = {}) {
    iovec part{.iov_base = &request, .iov_len = sizeof(request)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      const std::size_t bytes = descriptors.size() * sizeof(int);
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
    }
    EXPECT_EQ(::sendmsg(client_.get(), &message, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof(request)));
  }
  /// Sends, runs the service until it has answered and returns the answer.
  template <typename Reply, typename Request>
  Reply ask(Request request, const std::vector<int>& descriptors = {}) {
    send(request, descriptors);
    return answer<Reply>();
  }
  /// Runs the service until it has answered.
  template <typename Reply>
  Reply answer() {
    Reply reply{};
    pollfd answered{.fd = client_.get(), .events = POLLIN, .revents = 0};
    while (::poll(&answered, 1, 0) == 0) {
      EXPECT_TRUE(loop_->run_once());
    }
    EXPECT_EQ(::recv(client_.get(), &reply, sizeof(reply), 0), static_cast<ssize_t>(sizeof(reply)));
    return reply;
  }

  TemporaryDirectory directory_;
  HandClock clock_;
  notify::ServiceOptions options_;
  SayingBackend* backend_ = nullptr;
  std::unique_ptr<notify::Engine> engine_;
  std::unique_ptr<base::EventLoop> loop_;
  std::unique_ptr<notify::Service> service_;
  base::Fd client_;
};

}  // namespace evictd::test
