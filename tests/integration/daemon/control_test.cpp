// SPDX-License-Identifier: Apache-2.0
// Whatever comes in by the control socket, the daemon goes on.
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "arena.h"
#include "base/unix_socket.h"

namespace evictd::daemon::test {
namespace {

class ControlSocket : public Arena {
 protected:
  void SetUp() override {
    Arena::SetUp();
    if (IsSkipped()) {
      return;
    }
    hog_ = &add_hog({.name = "hog"});
    limit_memory();
    start_daemon(memory_config(Source::kEvents));
  }
  /// The daemon turns away who comes before it has noticed that others have closed.
  [[nodiscard]] Json status_in_turn() {
    return await_status([](const Json& answer) { return answer.contains("counters"); });
  }
  /// The daemon answers, and does what it is there for.
  void expect_unharmed() {
    EXPECT_EQ(status_in_turn()["counters"]["evictions"], 0);
    hog_->load.go();
    const auto end = hog_->await_end();
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
    EXPECT_TRUE(asked_for_by_kernel(await_record(*hog_)));
  }
  /// Stands in line where there is one.
  [[nodiscard]] base::Fd connect() const {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      Result<base::Fd> connection = base::connect_unix(scratch_->path() / "control.sock");
      if (connection) {
        return std::move(*connection);
      }
      if (connection.error().code != Errc::kBusy || std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << connection.error().message();
        return {};
      }
      std::this_thread::yield();
    }
  }
  /// As much as the other side takes.
  static void send(const base::Fd& connection, const std::string& text) {
    static_cast<void>(
        ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }

  Actor* hog_ = nullptr;
};

TEST_F(ControlSocket, ANinthFollowerIsToldThatEightMayFollow) {
  std::vector<base::Fd> followers(8);
  for (base::Fd& follower : followers) {
    follower = connect();
    send(follower, "{\"op\":\"follow\",\"since\":\"2000-01-01T00:00:00Z\"}\n");
    pollfd ready{.fd = follower.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 60'000), 1) << "the journal so far shows that it follows";
  }
  const ProgramEnd told = run_to_end(
      scratch_->path(),
      {EVICTCTL, "events", "--follow", "--socket", (scratch_->path() / "control.sock").string()});
  EXPECT_EQ(told.exit_status, 1);
  EXPECT_NE(told.output.find("at most 8 may follow at a time, and that many do"), std::string::npos)
      << told.output;
}

TEST_F(ControlSocket, ASeventeenthConnectionIsToldThatSixteenAreServed) {
  std::vector<base::Fd> silent(16);
  for (base::Fd& one : silent) {
    one = connect();
  }
  for (const char* const command : {"status", "events"}) {
    const ProgramEnd told =
        run_to_end(scratch_->path(),
                   {EVICTCTL, command, "--socket", (scratch_->path() / "control.sock").string()});
    EXPECT_EQ(told.exit_status, 1) << told.output;
    EXPECT_NE(told.output.find("at most 16 connections are served at a time, and that many are "
                               "open"),
              std::string::npos)
        << told.output;
  }
  silent.clear();
  EXPECT_GE(status_in_turn()["counters"]["control_socket"]["refused"], 2);
  EXPECT_EQ(lines_with(log(), "the control socket refused a connection"), 1U) << log();
  expect_unharmed();
}

TEST_F(ControlSocket, AnswersWhatIsNoRequestWithAnError) {
  const std::vector<std::string> garbage{"",
                                         "status",
                                         "{",
                                         "[]",
                                         "null",
                                         R"({"op":5})",
                                         R"({"op":"stop"})",
                                         R"({"op":"status")",
                                         "\xff\xfe\x01",
                                         std::string("{\0}", 3),
                                         std::string(60'000, '['),
                                         std::string(100'000, '['),
                                         R"({"op":")" + std::string(60'000, '\xc3') + R"("})"};
  for (const std::string& request : garbage) {
    const Result<std::string> answer = daemon_->ask(request);
    ASSERT_TRUE(answer) << answer.error().message() << " for " << request.substr(0, 40);
    const Json told = Json::parse(*answer, nullptr, false);
    EXPECT_TRUE(told.is_object() && told.contains("error")) << *answer;
  }
  expect_unharmed();
}

TEST_F(ControlSocket, CutsOffALineWithoutAnEnd) {
  const base::Fd endless = connect();
  const std::string part(std::size_t{1} << 16, 'x');
  // Ends once the other side has closed: what is sent then fails.
  while (::send(endless.get(), part.data(), part.size(), MSG_NOSIGNAL) >= 0 || errno == EAGAIN) {
  }
  EXPECT_TRUE(errno == EPIPE || errno == ECONNRESET) << errno;
  expect_unharmed();
}

TEST_F(ControlSocket, OutlivesManyWhoConnectAndSayNothingOrHalfOfIt) {
  std::vector<base::Fd> open;
  for (int i = 0; i < 200; ++i) {
    open.push_back(connect());
    if (i % 3 == 1) {
      send(open.back(), R"({"op":"sta)");
    }
    if (i % 3 == 2) {
      send(open.back(), "{\"op\":\"status\"}\n");
    }
  }
  hog_->load.go();
  const auto end = hog_->await_end();
  ASSERT_TRUE(end) << "nobody died while the socket was crowded";
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  open.clear();
  EXPECT_TRUE(asked_for_by_kernel(await_record(*hog_)));
}

TEST_F(ControlSocket, OutlivesWhoClosesHalfOrAllOfItsConnection) {
  for (int i = 0; i < 50; ++i) {
    const base::Fd half = connect();
    send(half, i % 2 == 0 ? R"({"op":"status"})" : "{\"op\":\"status\"}\n");
    ::shutdown(half.get(), i % 4 < 2 ? SHUT_WR : SHUT_RD);
    const base::Fd gone = connect();
    send(gone, "{\"op\":\"last_evictions\"}\n");
  }
  expect_unharmed();
}

}  // namespace
}  // namespace evictd::daemon::test
