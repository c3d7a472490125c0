// SPDX-License-Identifier: Apache-2.0
#include "web/evictd_client.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/unix_socket.h"
#include "support/temporary_directory.h"

namespace evictd::web {
namespace {

/// Answers one question after the other with its number: 1, 2 and so on.
class CountingEvictd {
 public:
  explicit CountingEvictd(const std::filesystem::path& socket)
      : listener_(base::listen_unix(socket, 0600).value()), thread_([this] { serve(); }) {}
  CountingEvictd(const CountingEvictd&) = delete;
  CountingEvictd& operator=(const CountingEvictd&) = delete;
  ~CountingEvictd() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  void serve() {
    for (int number = 1;; ++number) {
      pollfd asked{.fd = listener_.get(), .events = POLLIN, .revents = 0};
      ::poll(&asked, 1, /*timeout=*/-1);
      const base::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) {
        return;
      }
      std::array<char, 256> request{};
      static_cast<void>(::recv(client.get(), request.data(), request.size(), 0));
      const std::string answer = R"({"number":)" + std::to_string(number) + "}\n";
      static_cast<void>(::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL));
    }
  }

  base::Fd listener_;
  std::thread thread_;
};

TEST(EvictdClientAsking, GetsNoAnswerFromBeforeWhatWasTold) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path socket = directory.path() / "s";
  const CountingEvictd evictd(socket);
  EvictdClient client(socket);
  for (int number = 1; number <= 20; ++number) {
    const Result<EvictdClient::Answer> answer = client.ask("status");
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ((**answer)["number"], number);
    client.invalidate();
  }
}

}  // namespace
}  // namespace evictd::web
