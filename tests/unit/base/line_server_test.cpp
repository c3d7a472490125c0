// SPDX-License-Identifier: Apache-2.0
#include "base/line_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/system_clock.h"
#include "support/fake_tree.h"

namespace evictd::base {
namespace {

/// For failure only: no test waits this long when it passes.
constexpr auto kDeadline = std::chrono::seconds(30);

class Echo final : public LineHandler {
 public:
  std::string on_line(std::string_view request, const PeerCredentials& peer) override {
    ++requests;
    last_peer = peer;
    return prefix + std::string(request);
  }

  std::optional<std::string> on_subscription(std::string_view request) override {
    return request == "listen" ? std::optional(backlog) : std::nullopt;
  }

  void on_turned_away() override { ++turned_away; }

  std::string backlog;
  std::string prefix = "got ";
  int requests = 0;
  int turned_away = 0;
  PeerCredentials last_peer;
};

class LineServerTest : public testing::Test {
 protected:
  void start(LineServer::Options options) {
    Result<std::unique_ptr<LineServer>> server =
        LineServer::create(std::move(options), loop_, clock_, echo_);
    ASSERT_TRUE(server.has_value()) << server.error().message();
    server_ = std::move(*server);
  }

  [[nodiscard]] Fd connect() const {
    Result<Fd> fd = connect_unix(path_);
    EXPECT_TRUE(fd.has_value());
    return fd ? std::move(*fd) : Fd();
  }

  static void send(const Fd& fd, std::string_view text) {
    ASSERT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  /// Runs the loop until `done`.
  void run_until(const std::function<bool()>& done) {
    const MonoTime deadline = clock_.now() + kDeadline;
    while (!done()) {
      ASSERT_LT(clock_.now(), deadline) << "the server did not get there";
      ASSERT_TRUE(loop_.run_once(std::chrono::seconds(1)).has_value());
    }
  }

  /// What has come on `fd` so far.
  static std::string received(const Fd& fd) {
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::recv(fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  /// Sends all of `text` as a blocking client does; false where the server has had enough.
  static bool send_blocking(const Fd& fd, std::string_view text) {
    while (!text.empty()) {
      pollfd ready{.fd = fd.get(), .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, /*timeout=*/-1);
      const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) {
        return false;
      }
      text.remove_prefix(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    }
    return true;
  }

  /// What comes on `fd` up to its end.
  static std::string received_to_end(const Fd& fd) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
      pollfd ready{.fd = fd.get(), .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, /*timeout=*/-1);
      const ssize_t got = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
      if (got == 0 || (got < 0 && errno != EAGAIN)) {
        return got == 0 ? text : text + " and an error";
      }
      text.append(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
  }

  test::FakeTree tree_;
  std::string path_ = tree_.real("/control.sock");
  SystemClock clock_;
  EventLoop loop_ = EventLoop::create().value();
  Echo echo_;
  std::unique_ptr<LineServer> server_;
};

TEST_F(LineServerTest, AnswersOneLineWithOneLine) {
  start({.path = path_});
  const Fd client = connect();
  send(client, "hello\n");
  run_until([&] { return server_->counters().served == 1; });
  EXPECT_EQ(received(client), "got hello\n");
  EXPECT_EQ(echo_.last_peer.pid, ::getpid());
  EXPECT_EQ(server_->client_count(), 0U);
}

TEST_F(LineServerTest, AListenerGetsWhatWasAndThenEachLineThatIsPublished) {
  start({.path = path_, .client_timeout = std::chrono::milliseconds(1)});
  echo_.backlog = "before\n";
  const Fd client = connect();
  send(client, "listen\n");
  std::string got;
  run_until([&] { return !(got += received(client)).empty(); });
  EXPECT_EQ(got, "before\n");
  server_->publish("one");
  server_->publish("two");
  EXPECT_EQ(received(client), "one\ntwo\n");
  EXPECT_EQ(server_->counters().timed_out, 0U) << "a listener may stay";
}

TEST_F(LineServerTest, AListenerThatLeavesIsForgotten) {
  start({.path = path_});
  Fd client = connect();
  send(client, "listen\n");
  run_until([&] {
    server_->publish("x");
    return !received(client).empty();
  });
  client.reset();
  run_until([&] { return server_->client_count() == 0; });
  server_->publish("nobody hears");
}

TEST_F(LineServerTest, AListenerThatDoesNotReadIsCutOff) {
  start({.path = path_, .max_unread_bytes = 4096});
  const Fd client = connect();
  send(client, "listen\n");
  const std::string line(1000, 'x');
  run_until([&] {
    for (int i = 0; i < 1000; ++i) {
      server_->publish(line);
    }
    return server_->counters().lagging == 1;
  });
  EXPECT_EQ(server_->client_count(), 0U);
}

TEST_F(LineServerTest, OneListenerTooManyIsToldSoAndTurnedAway) {
  start({.path = path_, .max_listeners = 1, .one_listener_too_many_answer = "only one may listen"});
  const Fd first = connect();
  send(first, "listen\n");
  const Fd second = connect();
  send(second, "listen\n");
  run_until([&] { return server_->counters().refused_listeners == 1; });
  EXPECT_EQ(server_->client_count(), 1U);
  EXPECT_EQ(received_to_end(second), "only one may listen\n");
}

TEST_F(LineServerTest, ALineMayComeInPieces) {
  start({.path = path_});
  const Fd client = connect();
  send(client, "hel");
  run_until([&] { return server_->client_count() == 1; });
  send(client, "lo\nand more");
  run_until([&] { return server_->counters().served == 1; });
  EXPECT_EQ(received(client), "got hello\n");
}

TEST_F(LineServerTest, ALineEndInTheAnswerDoesNotCutIt) {
  start({.path = path_});
  echo_.prefix = "a\nb ";
  const Fd client = connect();
  send(client, "x\n");
  run_until([&] { return server_->counters().served == 1; });
  EXPECT_EQ(received(client), "a b x\n");
}

TEST_F(LineServerTest, AClientThatSaysNothingIsCutOffAndHoldsUpNobody) {
  start({.path = path_, .client_timeout = std::chrono::milliseconds(50)});
  const Fd silent = connect();
  run_until([&] { return server_->client_count() == 1; });
  const Fd other = connect();
  send(other, "hello\n");
  run_until([&] { return server_->counters().served == 1; });
  EXPECT_EQ(received(other), "got hello\n");
  run_until([&] { return server_->counters().timed_out == 1; });
  EXPECT_EQ(server_->client_count(), 0U);
}

TEST_F(LineServerTest, AClientThatDoesNotReadIsCutOffAndHoldsUpNobody) {
  start({.path = path_, .client_timeout = std::chrono::milliseconds(50)});
  echo_.prefix.assign(std::size_t{8} << 20, 'x');
  const Fd deaf = connect();
  send(deaf, "hello\n");
  run_until([&] { return echo_.requests == 1; });
  EXPECT_EQ(server_->client_count(), 1U);
  run_until([&] { return server_->counters().timed_out == 1; });
}

TEST_F(LineServerTest, ARequestThatIsTooLongIsCutOff) {
  start({.path = path_, .max_request_bytes = 100});
  const Fd client = connect();
  send(client, std::string(101, 'x'));
  run_until([&] { return server_->counters().oversized == 1; });
  EXPECT_EQ(echo_.requests, 0);
}

TEST_F(LineServerTest, WhoSendsARequestThatIsTooLongAndThenReadsIsToldSo) {
  start({.path = path_, .max_request_bytes = 100, .oversized_answer = "at most 100 bytes"});
  std::string answer;
  bool sent_whole = false;
  Fd client = connect();
  // More than a socket's buffer, without a line end: who sends it waits for the server to read.
  const std::string request(std::size_t{1} << 19, '[');
  std::thread thread([&] {
    sent_whole = send_blocking(client, request);
    answer = received_to_end(client);
    client.reset();
  });
  run_until([&] { return server_->counters().oversized == 1; });
  run_until([&] { return server_->client_count() == 0; });
  thread.join();
  EXPECT_TRUE(sent_whole);
  EXPECT_EQ(answer, "at most 100 bytes\n");
  EXPECT_EQ(echo_.requests, 0);
}

TEST_F(LineServerTest, ClientThatKeepsSendingAfterOversizeIsCutOff) {
  start({.path = path_, .max_request_bytes = 100, .oversized_answer = "at most 100 bytes"});
  const Fd client = connect();
  bool sent_whole = true;
  std::thread thread([&] { sent_whole = send_blocking(client, std::string(8U << 20U, '[')); });
  run_until([&] { return server_->counters().oversized == 1; });
  run_until([&] { return server_->client_count() == 0; });
  thread.join();
  EXPECT_FALSE(sent_whole);
  EXPECT_EQ(received(client), "at most 100 bytes\n");
}

TEST_F(LineServerTest, ClientThatStaysAfterOversizeIsCutOffInTime) {
  start({.path = path_,
         .max_request_bytes = 100,
         .oversized_answer = "at most 100 bytes",
         .client_timeout = std::chrono::milliseconds(50)});
  const Fd client = connect();
  send(client, std::string(101, 'x'));
  run_until([&] { return server_->counters().oversized == 1; });
  run_until([&] { return server_->client_count() == 0; });
  EXPECT_EQ(received(client), "at most 100 bytes\n");
  EXPECT_EQ(server_->counters().timed_out, 0U) << "each client is counted once";
}

TEST_F(LineServerTest, AClientThatLeavesEarlyIsForgotten) {
  start({.path = path_});
  {
    const Fd client = connect();
    send(client, "hel");
  }
  run_until([&] { return server_->counters().aborted == 1; });
  EXPECT_EQ(server_->client_count(), 0U);
}

TEST_F(LineServerTest, OneClientTooManyIsToldSoWhetherOrNotItHasSentItsRequest) {
  start({.path = path_, .max_clients = 2, .one_client_too_many_answer = "two are served"});
  const Fd first = connect();
  const Fd second = connect();
  const Fd early = connect();
  send(early, "c\n");
  const Fd late = connect();
  run_until([&] { return server_->counters().refused == 2; });
  send(late, "d\n");
  run_until([&] { return server_->client_count() == 2; });
  EXPECT_EQ(received_to_end(early), "two are served\n");
  EXPECT_EQ(received_to_end(late), "two are served\n");
  EXPECT_EQ(echo_.turned_away, 2);
  send(first, "a\n");
  send(second, "b\n");
  run_until([&] { return server_->counters().served == 2; });
  EXPECT_EQ(echo_.requests, 2);
}

TEST_F(LineServerTest, SilentRefusedClientsAreBoundedAndTakeNoPlace) {
  start({.path = path_, .max_clients = 1, .one_client_too_many_answer = "one is served"});
  const Fd served = connect();
  const Fd kept = connect();
  const Fd closed = connect();
  run_until([&] { return server_->counters().refused == 2; });
  EXPECT_EQ(server_->client_count(), 2U);
  EXPECT_EQ(received_to_end(closed), "one is served\n");
  send(served, "a\n");
  run_until([&] { return server_->counters().served == 1; });
  const Fd next = connect();
  send(next, "b\n");
  run_until([&] { return server_->counters().served == 2; });
  EXPECT_EQ(received(next), "got b\n");
}

TEST_F(LineServerTest, TheSocketFileGoesWithTheServer) {
  start({.path = path_});
  EXPECT_TRUE(std::filesystem::exists(path_));
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LineServerTest, ABlockingClientGetsALargeAnswerWhole) {
  start({.path = path_});
  echo_.prefix.assign(std::size_t{4} << 20, 'x');
  Result<std::string> answer;
  std::thread client([&] { answer = request_line(path_, "end", {.timeout = kDeadline}); });
  run_until([&] { return server_->counters().served == 1; });
  client.join();
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->size(), (std::size_t{4} << 20) + 3);
  EXPECT_TRUE(answer->ends_with("xend"));
}

TEST_F(LineServerTest, AnAnswerLongerThanAskedForIsRefusedByTheClient) {
  start({.path = path_});
  Result<std::string> answer;
  std::thread client([&] {
    answer = request_line(path_, std::string(100, 'y'),
                          {.timeout = kDeadline, .max_response_bytes = 50});
  });
  run_until([&] { return server_->counters().served == 1; });
  client.join();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::kExhausted);
}

}  // namespace
}  // namespace evictd::base
