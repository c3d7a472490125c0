// SPDX-License-Identifier: Apache-2.0
#include "cli/top/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>

#include "base/unix_socket.h"
#include "support/temporary_directory.h"

namespace evictd::cli::top {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr MonoTime kStart{seconds(1000)};
constexpr const char* kStatus = R"({"version":"0.2.0"})";

/// The other end of one connection, with what was asked.
struct Asked {
  base::Fd fd;
  std::string request;

  void answer(const std::string& line) const {
    const std::string text = line + "\n";
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
};

class Feeding : public testing::Test {
 protected:
  void listen() { listener_ = base::listen_unix(socket(), 0600).value(); }
  void go_away() {
    listener_.reset();
    std::filesystem::remove(socket());
  }
  [[nodiscard]] std::string socket() const { return (directory_.path() / "s").string(); }
  /// Everything here is there when asked for: both ends are of this process.
  [[nodiscard]] Asked next_asked() const {
    Asked asked{.fd = base::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                .request = {}};
    std::array<char, 4096> buffer{};
    const ssize_t got = ::recv(asked.fd.get(), buffer.data(), buffer.size(), 0);
    asked.request.assign(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    return asked;
  }

  test::TemporaryDirectory directory_;
  base::Fd listener_{};
  Feed feed_{{.socket = socket(), .interval = seconds(1), .since = "2026-01-01T00:00:00Z"}};
};

TEST_F(Feeding, AsksForStatusAndJournalAndTellsWhatComes) {
  listen();
  static_cast<void>(feed_.run(kStart));
  const Asked status = next_asked();
  const Asked journal = next_asked();
  EXPECT_EQ(status.request, "{\"op\":\"status\"}\n");
  EXPECT_THAT(journal.request, HasSubstr(R"("since":"2026-01-01T00:00:00Z")"));
  EXPECT_EQ(feed_.descriptors().size(), 2U);
  status.answer(kStatus);
  journal.answer(R"({"kind":"gap","seq":41})");
  const News news = feed_.run(kStart);
  ASSERT_TRUE(news.status);
  EXPECT_EQ((*news.status)["version"], "0.2.0");
  ASSERT_EQ(news.events.size(), 1U);
  EXPECT_THAT(feed_.trouble(), IsEmpty());
}

TEST_F(Feeding, LooksAgainAfterTheIntervalAndSoonerAfterAnEvent) {
  listen();
  static_cast<void>(feed_.run(kStart));
  const Asked status = next_asked();
  const Asked journal = next_asked();
  status.answer(kStatus);
  static_cast<void>(feed_.run(kStart));
  EXPECT_EQ(feed_.due(), kStart + seconds(1));
  journal.answer(R"({"kind":"gap","seq":41})");
  static_cast<void>(feed_.run(kStart));
  EXPECT_EQ(feed_.due(), kStart + milliseconds(100));
}

TEST_F(Feeding, SaysThatEvictdIsAwayAndGoesOnWhereItWas) {
  listen();
  static_cast<void>(feed_.run(kStart));
  {
    const Asked status = next_asked();
    const Asked journal = next_asked();
    status.answer(kStatus);
    journal.answer(R"({"kind":"gap","seq":41})");
    static_cast<void>(feed_.run(kStart));
    go_away();
  }
  static_cast<void>(feed_.run(kStart + seconds(1)));
  EXPECT_THAT(feed_.trouble(), HasSubstr("s: "));
  EXPECT_EQ(feed_.due(), kStart + seconds(2));
  listen();
  static_cast<void>(feed_.run(kStart + seconds(2)));
  next_asked().answer(kStatus);
  EXPECT_THAT(next_asked().request, HasSubstr(R"("after":41)"));
  EXPECT_TRUE(feed_.run(kStart + seconds(2)).status);
  EXPECT_THAT(feed_.trouble(), IsEmpty());
}

TEST_F(Feeding, GivesUpAnAnswerThatDoesNotCome) {
  listen();
  static_cast<void>(feed_.run(kStart));
  const Asked status = next_asked();
  const Asked journal = next_asked();
  EXPECT_EQ(feed_.due(), kStart + seconds(5));
  static_cast<void>(feed_.run(kStart + seconds(5)));
  EXPECT_EQ(feed_.trouble(), "evictd does not answer");
}

TEST_F(Feeding, TellsOfARefusedJournalApartAndAsksAgain) {
  listen();
  static_cast<void>(feed_.run(kStart));
  next_asked().answer(kStatus);
  next_asked().answer(R"({"error":"at most 8 may follow"})");
  EXPECT_TRUE(feed_.run(kStart).status);
  EXPECT_EQ(feed_.events_trouble(), "evictd: at most 8 may follow");
  EXPECT_THAT(feed_.trouble(), IsEmpty());
  static_cast<void>(feed_.run(kStart + seconds(1)));
  static_cast<void>(next_asked());
  EXPECT_THAT(next_asked().request, HasSubstr("follow"));
}

TEST_F(Feeding, AnswersThatAreNoStatusAreTrouble) {
  listen();
  for (const char* answer : {"[]", "no json", R"({"error":"no"})"}) {
    const MonoTime now = feed_.due() == MonoTime{} ? kStart : feed_.due() + seconds(1);
    static_cast<void>(feed_.run(now));
    Asked asked = next_asked();
    while (asked.request != "{\"op\":\"status\"}\n") {
      asked = next_asked();
    }
    asked.answer(answer);
    EXPECT_FALSE(feed_.run(now).status) << answer;
    EXPECT_THAT(feed_.trouble(), testing::Not(IsEmpty())) << answer;
  }
}

}  // namespace
}  // namespace evictd::cli::top
