// SPDX-License-Identifier: Apache-2.0
#include "base/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "support/fake_tree.h"

namespace evictd::base {
namespace {

TEST(UnixSocket, TheFileHasExactlyTheWantedPermissions) {
  const test::FakeTree tree;
  const auto path = tree.real("/s");
  const Result<Fd> listener = listen_unix(path, 0666);
  ASSERT_TRUE(listener.has_value()) << listener.error().message();
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0666U);
}

TEST(UnixSocket, TheKernelSaysWhoConnected) {
  const test::FakeTree tree;
  const Result<Fd> listener = listen_unix(tree.real("/s"), 0600);
  ASSERT_TRUE(listener.has_value());
  const Result<Fd> client = connect_unix(tree.real("/s"));
  ASSERT_TRUE(client.has_value()) << client.error().message();
  const Fd server(::accept(listener->get(), nullptr, nullptr));
  const Result<PeerCredentials> peer = peer_credentials(server.get());
  ASSERT_TRUE(peer.has_value());
  EXPECT_EQ(peer->pid, ::getpid());
  EXPECT_EQ(peer->uid, ::getuid());
  EXPECT_EQ(peer->gid, ::getgid());
}

TEST(UnixSocket, ASecondListenerIsRefusedWhileTheFirstLives) {
  const test::FakeTree tree;
  const std::string path = tree.real("/s");
  const Result<Fd> first = listen_unix(path, 0600);
  ASSERT_TRUE(first.has_value());
  const Result<Fd> second = listen_unix(path, 0600);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_EQ(second.error().message(), "another process listens on " + path);
}

TEST(UnixSocket, ASocketThatAKilledProcessLeftIsReplaced) {
  const test::FakeTree tree;
  { const Result<Fd> killed = listen_unix(tree.real("/s"), 0600); }
  EXPECT_TRUE(listen_unix(tree.real("/s"), 0600).has_value());
}

TEST(UnixSocket, AFileThatIsNoSocketIsKept) {
  const test::FakeTree tree;
  tree.write("/s", "precious");
  const std::string path = tree.real("/s");
  const Result<Fd> listener = listen_unix(path, 0600);
  ASSERT_FALSE(listener.has_value());
  EXPECT_EQ(listener.error().code, Errc::kBusy);
  EXPECT_EQ(listener.error().message(), path + " is not a socket");
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(UnixSocket, APathThatDoesNotFitIsInvalid) {
  const Result<Fd> listener = listen_unix("/" + std::string(200, 'x'), 0600);
  ASSERT_FALSE(listener.has_value());
  EXPECT_EQ(listener.error().code, Errc::kInvalid);
}

TEST(UnixSocket, NobodyThereIsNotFound) {
  const test::FakeTree tree;
  const std::string path = tree.real("/s");
  EXPECT_EQ(connect_unix(path).error().code, Errc::kNotFound);
  { const Result<Fd> killed = listen_unix(path, 0600); }
  const Result<Fd> refused = connect_unix(path);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kNotFound);
  EXPECT_EQ(refused.error().message(), "connect to " + path + ": nobody listens");
}

TEST(UnixSocket, ARequestThatNobodyAnswersTimesOut) {
  const test::FakeTree tree;
  const Result<Fd> listener = listen_unix(tree.real("/s"), 0600);
  ASSERT_TRUE(listener.has_value());
  const Result<std::string> answer =
      request_line(tree.real("/s"), "{}", {.timeout = std::chrono::milliseconds(20)});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::kTimedOut);
}

}  // namespace
}  // namespace evictd::base
