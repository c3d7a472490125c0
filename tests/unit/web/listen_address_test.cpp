// SPDX-License-Identifier: Apache-2.0
#include "web/listen_address.h"

#include <gtest/gtest.h>

#include <array>

#include "support/temporary_directory.h"

namespace evictd::web {
namespace {

TEST(ListenAddress, ReadsEachForm) {
  const Result<ListenAddress> v4 = parse_listen_address("127.0.0.1:9879");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 9879);
  const Result<ListenAddress> v6 = parse_listen_address("[::1]:80");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  const Result<ListenAddress> local = parse_listen_address("unix:/run/x.sock");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->unix_path, "/run/x.sock");
}

TEST(ListenAddress, RefusesWhatIsNone) {
  constexpr std::array kWrong{
      "",          "127.0.0.1",     ":80",         "localhost:80", "::1:80",     "127.0.0.1:",
      "1.2.3.4:x", "1.2.3.4:70000", "[1.2.3.4]:1", "unix:x.sock",  "1.2.3.4:-1", "[]:80"};
  for (const char* text : kWrong) {
    const Result<ListenAddress> parsed = parse_listen_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::kInvalid);
  }
}

TEST(ListenAddress, ListensAtAFreePort) {
  const ListenAddress address = *parse_listen_address("127.0.0.1:0");
  const Result<base::Fd> listener = listen_at(address);
  ASSERT_TRUE(listener) << listener.error().message();
  EXPECT_TRUE(shown_address(address, *listener, false).starts_with("http://127.0.0.1:"));
  EXPECT_FALSE(shown_address(address, *listener, false).ends_with(":0/"));
}

TEST(ListenAddress, SaysWhoIsThereAlready) {
  const test::TemporaryDirectory directory;
  const ListenAddress address = *parse_listen_address("unix:" + (directory.path() / "s").string());
  const Result<base::Fd> first = listen_at(address);
  ASSERT_TRUE(first);
  const Result<base::Fd> second = listen_at(address);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
}

}  // namespace
}  // namespace evictd::web
