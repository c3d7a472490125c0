// SPDX-License-Identifier: Apache-2.0
// What becomes of registrations when evictd goes and comes back.
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "notify_client/socket_client.h"
#include "notify_ground.h"
#include "support/few_descriptors.h"

namespace evictd::test {
namespace {

TEST_F(Notify, ARestartRegistersAgainAndWakesEachEventfdOnce) {
  open();
  const base::Fd shared = make_eventfd();
  const base::Fd other = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(shared, &id), 0);
  ASSERT_EQ(register_one(shared), 0);
  ASSERT_EQ(register_one(other), 0);
  kill_server();
  start({.manner = Manner::kProper, .refusal = 0, .instance = 2});
  EXPECT_EQ(take(shared), 1U);
  EXPECT_EQ(take(other), 1U);
  EXPECT_EQ(server_->registrations(), 3U);
  EXPECT_EQ(info().gaps, 1U);
  server_->fire();
  EXPECT_EQ(take(shared), 2U);
  EXPECT_EQ(state(id).error, 0);
  EXPECT_EQ(evictd_notify_unregister(handle_, id), 0);
  EXPECT_EQ(server_->registrations(), 2U);
}

TEST_F(Notify, AServerInAFolderThatWasMadeAnewIsFound) {
  tree_.make_directory("/run");
  const std::string path = tree_.real("/run/evictd/s");
  std::filesystem::create_directory(tree_.real("/run/evictd"));
  std::optional<FakeServer> server;
  server.emplace(path);
  ASSERT_EQ(evictd_notify_open(path.c_str(), 0, &handle_), 0);
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  server.reset();
  std::filesystem::remove_all(tree_.real("/run"));
  std::filesystem::create_directories(tree_.real("/run/evictd"));
  server.emplace(path);
  EXPECT_EQ(take(eventfd), 1U);
}

TEST_F(Notify, AConnectionThatIsEndedAloneIsMadeAgain) {
  open();
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  server_->hang_up();
  EXPECT_EQ(take(eventfd), 1U);
  EXPECT_EQ(server_->connections(), 2U);
  EXPECT_EQ(server_->registrations(), 1U);
}

TEST_F(Notify, RegisteringInAGapSaysSoAndKeepsWhatIsThere) {
  open();
  const base::Fd eventfd = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(eventfd, &id), 0);
  kill_server();
  EXPECT_EQ(register_one(eventfd), ENOTCONN);
  EXPECT_EQ(state(id).error, ENOTCONN);
  EXPECT_EQ(info().registrations, 1U);
  start();
  EXPECT_EQ(take(eventfd), 1U);
}

TEST_F(Notify, WhatIsUnregisteredInAGapDoesNotReturn) {
  open();
  const base::Fd kept = make_eventfd();
  const base::Fd dropped = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(kept), 0);
  ASSERT_EQ(register_one(dropped, &id), 0);
  kill_server();
  EXPECT_EQ(evictd_notify_unregister(handle_, id), 0);
  start();
  EXPECT_EQ(take(kept), 1U);
  EXPECT_EQ(server_->registrations(), 1U);
  EXPECT_TRUE(is_silent(dropped));
}

TEST_F(Notify, EventfdClosedInAGapIsForgottenThoughItsFdIsReused) {
  open();
  const base::Fd kept = make_eventfd();
  base::Fd closed = make_eventfd();
  ASSERT_EQ(register_one(closed), 0);
  ASSERT_EQ(register_one(kept), 0);
  kill_server();
  const int number = closed.get();
  base::Fd stranger = make_eventfd();
  ASSERT_EQ(::dup3(stranger.get(), number, O_CLOEXEC), number);
  start();
  EXPECT_EQ(take(kept), 1U);
  EXPECT_EQ(server_->registrations(), 1U);
  EXPECT_TRUE(is_silent(stranger));
}

TEST_F(Notify, ARegistrationRefusedAfterTheGapWakesItsReaderAndSaysWhy) {
  open();
  const base::Fd eventfd = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(eventfd, &id), 0);
  kill_server();
  start({.manner = Manner::kForgetful, .refusal = ENODEV, .instance = 2});
  EXPECT_EQ(take(eventfd), 1U);
  EXPECT_EQ(state(id).error, ENODEV);
}

TEST_F(Notify, RegistrationRefusedForRoomIsRetriedReaderToldTwice) {
  const auto client = notify_client::SocketClient::create(
      socket(), {.request = std::chrono::seconds(5), .retry = std::chrono::milliseconds(1)});
  ASSERT_TRUE(client.has_value());
  for (const int want : {EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EBUSY, EAGAIN, ETIMEDOUT}) {
    const base::Fd eventfd = make_eventfd();
    const Result<std::uint64_t> id = (*client)->add(open_cgroup(), kWatch, eventfd.get());
    ASSERT_TRUE(id.has_value());
    kill_server();
    start({.manner = Manner::kForgetful, .refusal = want, .instance = 2});
    EXPECT_EQ(take(eventfd), 1U) << want;
    const Result<evictd_notify_state> refused = (*client)->query(*id);
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->error, want);
    server_->behave(Manner::kProper);
    EXPECT_EQ(take(eventfd), 1U) << want;
    const Result<evictd_notify_state> made = (*client)->query(*id);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->error, 0);
    EXPECT_TRUE((*client)->remove(*id).has_value());
  }
}

TEST_F(Notify, TimeoutAnswerIsARefusalNotAConnectionLoss) {
  open();
  const base::Fd first = make_eventfd();
  const base::Fd second = make_eventfd();
  ASSERT_EQ(register_one(first), 0);
  ASSERT_EQ(register_one(second), 0);
  kill_server();
  start({.manner = Manner::kForgetful, .refusal = ETIMEDOUT, .instance = 2});
  EXPECT_EQ(take(first), 1U);
  EXPECT_EQ(take(second), 1U);
  EXPECT_EQ(info().gaps, 1U);
  EXPECT_EQ(info().connected, 1U);
}

TEST_F(Notify, ClientShortOfFdsKeepsAndLaterRepeatsRegistrations) {
  const auto client = notify_client::SocketClient::create(
      socket(), {.request = std::chrono::seconds(5), .retry = std::chrono::milliseconds(1)});
  ASSERT_TRUE(client.has_value());
  const base::Fd eventfd = make_eventfd();
  const Result<std::uint64_t> id = (*client)->add(open_cgroup(), kWatch, eventfd.get());
  ASSERT_TRUE(id.has_value());
  std::optional<FewDescriptors> few;
  base::Fd last;
  server_->at_hello([&] {
    few.emplace(1);
    last.reset(::fcntl(eventfd.get(), F_DUPFD_CLOEXEC, 0));
  });
  server_->hang_up();
  while ((*client)->info().gaps == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(server_->connections(), 2U);
  const Result<evictd_notify_state> waiting = (*client)->query(*id);
  ASSERT_TRUE(waiting.has_value());
  EXPECT_EQ(waiting->error, EMFILE);
  EXPECT_TRUE(is_silent(eventfd));
  last.reset();
  few.reset();
  EXPECT_EQ(take(eventfd), 1U);
  EXPECT_EQ(server_->registrations(), 1U);
  const Result<evictd_notify_state> made = (*client)->query(*id);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->error, 0);
}

TEST_F(Notify, AServerThatStopsAnsweringIsLeftAndFoundAgain) {
  const auto client = notify_client::SocketClient::create(
      socket(), {.request = std::chrono::seconds(1), .retry = std::chrono::milliseconds(1)});
  ASSERT_TRUE(client.has_value());
  const base::Fd eventfd = make_eventfd();
  ASSERT_TRUE((*client)->add(open_cgroup(), kWatch, eventfd.get()).has_value());
  server_->behave(Manner::kMute);
  const Result<std::uint64_t> unanswered = (*client)->add(open_cgroup(), kWatch, eventfd.get());
  ASSERT_FALSE(unanswered.has_value());
  EXPECT_EQ(unanswered.error().sys_errno, ETIMEDOUT);
  server_->behave(Manner::kProper);
  EXPECT_EQ(take(eventfd), 1U);
  server_->await_registrations(1);
}

std::size_t inotify_instances() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    const auto target = std::filesystem::read_symlink(entry.path(), closed_meanwhile);
    count += target.string().find("anon_inode:inotify") == 0 ? 1 : 0;
  }
  return count;
}

TEST_F(Notify, AHandleHasAnInotifyInstanceOnlyWhileEvictdIsGone) {
  open();
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  ASSERT_EQ(inotify_instances(), 0U);
  std::filesystem::remove(socket());
  kill_server();
  while (inotify_instances() == 0) {
    std::this_thread::yield();
  }
  start();
  EXPECT_EQ(take(eventfd), 1U);
  while (inotify_instances() != 0) {
    std::this_thread::yield();
  }
}

/// For two processes that tell each other how far they are.
bool hear(const base::Fd& other) {
  char word = 0;
  return ::read(other.get(), &word, 1) == 1;
}
bool say(const base::Fd& other) {
  return ::send(other.get(), "x", 1, MSG_NOSIGNAL) == 1;
}

/// False where that may not be done.
bool forbid_inotify() {
  if (::unshare(CLONE_NEWUSER) != 0) {
    return false;
  }
  std::ofstream limit("/proc/sys/user/max_inotify_instances");
  limit << 0 << std::flush;
  return limit.good();
}

constexpr int kCannotForbid = 77;

/// A client that has no inotify instance and sees the server go and come back: an exit status.
int live_without_inotify(const std::string& socket, const std::string& cgroup,
                         const base::Fd& parent) {
  if (!forbid_inotify()) {
    return kCannotForbid;
  }
  if (!hear(parent)) {
    return 1;
  }
  const auto client = notify_client::SocketClient::create(
      socket, {.request = std::chrono::seconds(5), .retry = std::chrono::milliseconds(1)});
  if (!client) {
    return 2;
  }
  const base::Fd eventfd = make_eventfd();
  base::Fd directory(::open(cgroup.c_str(), O_RDONLY | O_CLOEXEC));
  if (!(*client)->add(std::move(directory), kWatch, eventfd.get()) || !say(parent)) {
    return 3;
  }
  while ((*client)->info().connected != 0) {
    std::this_thread::yield();
  }
  if (!say(parent)) {
    return 4;
  }
  return take(eventfd) == 1 ? 0 : 5;
}

TEST(NotifyWithoutInotify, OpensAndFindsAServerThatComesBack) {
  FakeTree tree;
  tree.write("/cgroup/cgroup.procs", "");
  const std::string socket = tree.real("/s").string();
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  base::Fd child(ends[0]);
  base::Fd parent(ends[1]);
  // Before there is any thread, of which the child would have none.
  const pid_t pid = ::fork();
  if (pid == 0) {
    child.reset();
    ::_exit(live_without_inotify(socket, tree.real("/cgroup").string(), parent));
  }
  parent.reset();
  std::optional<FakeServer> server;
  server.emplace(socket);
  if (say(child) && hear(child)) {
    std::filesystem::remove(socket);
    server.reset();
    EXPECT_TRUE(hear(child));
    server.emplace(socket);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kCannotForbid) {
    GTEST_SKIP() << "no user namespace in which inotify could be limited";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace evictd::test
