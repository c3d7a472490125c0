// SPDX-License-Identifier: Apache-2.0
// The service before clients of every kind; no client here is polite by way of a library.
#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "service_ground.h"

namespace evictd::test {
namespace {

TEST_F(NotifyService, SignalsTheEventfdOfAnotherProcess) {
  const RawClient client(path_);
  ASSERT_EQ(client.hello(), 0);
  const auto reply =
      client.ask({eventfd_.get(), cgroup_.memory_fd()}, 32 * kMegabyte, eventfd_.get());
  ASSERT_EQ(reply.error, 0);
  EXPECT_EQ(reply.header.request_id, 42U);
  EXPECT_NE(reply.registration, 0U);
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMegabyte));
  EXPECT_TRUE(eventfd_.reaches(1));
}

TEST_F(NotifyService, SaysAndServesThatItTellsOfTheOomKiller) {
  cgroup_.set_memory_limit(16 * kMegabyte);
  const RawClient client(path_);
  client.send(evictd_notify_hello{
      .header = RawClient::header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
  const auto greeting = client.receive<evictd_notify_hello_reply>();
  EXPECT_EQ(greeting.signals >> EVICTD_NOTIFY_OOM & 1U, 1U);
  EXPECT_EQ(greeting.signals >> EVICTD_NOTIFY_PRESSURE & 1U, 1U);
  CountedEventfd eventfd;
  evictd_notify_register_request wish{};
  wish.header = RawClient::header(EVICTD_NOTIFY_REGISTER);
  wish.signal = EVICTD_NOTIFY_OOM;
  wish.eventfd = eventfd.get();
  client.send(wish, {eventfd.get(), cgroup_.memory_fd()});
  const auto reply = client.receive<evictd_notify_register_reply>();
  ASSERT_EQ(reply.error, 0);
  EXPECT_EQ(reply.side, static_cast<std::uint32_t>(EVICTD_NOTIFY_NO_SIDE));
  TestChild child(cgroup_);
  EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kMegabyte));
  EXPECT_TRUE(eventfd.reaches(1));
}

TEST_F(NotifyService, AnswersWrongDescriptorsAndGoesOn) {
  const RawClient client(path_);
  ASSERT_EQ(client.hello(), 0);
  const base::Fd path_only(::open("/", O_PATH | O_CLOEXEC));
  const base::Fd no_cgroup(::open("/", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(client.ask({}, 1).error, EBADF);
  EXPECT_EQ(client.ask({eventfd_.get()}, 1).error, EBADF);
  EXPECT_EQ(client.ask({eventfd_.get(), eventfd_.get()}, 1).error, EBADF);
  EXPECT_EQ(client.ask({cgroup_.memory_fd(), cgroup_.memory_fd()}, 1).error, EBADF);
  EXPECT_EQ(client.ask({eventfd_.get(), path_only.get()}, 1).error, EBADF);
  EXPECT_EQ(client.ask({eventfd_.get(), no_cgroup.get()}, 1).error, ENOTDIR);
  EXPECT_EQ(client.ask({eventfd_.get(), cgroup_.memory_fd()}, 1).error, 0);
}

TEST_F(NotifyService, ClosesOnWhatIsNoMessage) {
  const RawClient garbage(path_);
  garbage.send(std::array<char, 64>{});
  EXPECT_TRUE(garbage.is_closed());
  const RawClient hasty(path_);
  EXPECT_EQ(hasty.ask({eventfd_.get(), cgroup_.memory_fd()}, 1).error, EPROTO);
  EXPECT_TRUE(hasty.is_closed());
  const RawClient loaded(path_);
  loaded.send(
      evictd_notify_hello{
          .header = RawClient::header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0},
      {eventfd_.get()});
  EXPECT_EQ(loaded.receive<evictd_notify_hello_reply>().error, EBADMSG);
  EXPECT_TRUE(loaded.is_closed());
  const RawClient many(path_);
  ASSERT_EQ(many.hello(), 0);
  const int fd = eventfd_.get();
  EXPECT_EQ(many.ask({fd, fd, fd, fd, fd, fd}, 1).error, EBADMSG);
  EXPECT_TRUE(many.is_closed());
  const RawClient polite(path_);
  EXPECT_EQ(polite.hello(), 0);
}

TEST_F(NotifyService, EndsTheRegistrationsOfAConnectionThatEnds) {
  {
    const RawClient client(path_);
    ASSERT_EQ(client.hello(), 0);
    ASSERT_EQ(client.ask({eventfd_.get(), cgroup_.memory_fd()}, 1).error, 0);
    ASSERT_EQ(client.ask({eventfd_.get(), cgroup_.memory_fd()}, 2).error, 0);
    EXPECT_EQ(engine_->counters().registrations, 2U);
  }
  // Requests are served in turn: the end of that connection was ready before this one's question.
  const RawClient other(path_);
  ASSERT_EQ(other.hello(), 0);
  EXPECT_EQ(engine_->counters().registrations, 0U);
}

TEST_F(NotifyService, LimitsWhatAUserWhoIsNotRootMayHave) {
  stop();
  start({.user = {.connections = 2, .registrations = 3}});
  ::chmod(path_.parent_path().c_str(), 0755);
  const int memory = cgroup_.memory_fd();
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(1);
    }
    const RawClient client(path_);
    if (client.hello() != 0) {
      ::_exit(2);
    }
    for (std::uint64_t i = 1; i <= 3; ++i) {
      if (client.ask({eventfd_.get(), memory}, i).error != 0) {
        ::_exit(3);
      }
    }
    if (client.ask({eventfd_.get(), memory}, 4).error != EDQUOT) {
      ::_exit(4);
    }
    const RawClient second(path_);
    const std::int32_t of_second = second.hello();
    const RawClient third(path_);
    ::_exit(of_second == 0 && third.hello() == EUSERS ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(NotifyService, LimitsWhatAllUsersButRootMayHaveTogether) {
  stop();
  start({.max_registrations = 1});
  ::chmod(path_.parent_path().c_str(), 0755);
  const int memory = cgroup_.memory_fd();
  const RawClient root(path_);
  ASSERT_EQ(root.hello(), 0);
  EXPECT_EQ(root.ask({eventfd_.get(), memory}, 1).error, 0);
  EXPECT_EQ(root.ask({eventfd_.get(), memory}, 2).error, 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(1);
    }
    const RawClient client(path_);
    if (client.hello() != 0 || client.ask({eventfd_.get(), memory}, 3).error != 0) {
      ::_exit(2);
    }
    ::_exit(client.ask({eventfd_.get(), memory}, 4).error == ENOSPC ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

/// As who is nobody but has the supplementary groups `groups`: the answer to a registration.
int answer_to_member(const std::filesystem::path& path, const std::vector<int>& descriptors,
                     const std::vector<gid_t>& groups) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setgroups(groups.size(), groups.data()) != 0 || ::setresgid(65534, 65534, 65534) != 0 ||
        ::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(255);
    }
    const RawClient client(path);
    ::_exit(client.hello() == 0 ? client.ask(descriptors, 1).error : 255);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(NotifyService, LetsAUserRegisterWhatASupplementaryGroupMayRead) {
  constexpr gid_t kGroup = 4242;
  const char* file = cgroups_are_unified() ? "memory.current" : "memory.usage_in_bytes";
  const int memory = cgroup_.memory_fd();
  ASSERT_EQ(::fchownat(memory, file, 0, kGroup, 0), 0);
  ASSERT_EQ(::fchmodat(memory, file, 0640, 0), 0);
  ::chmod(path_.parent_path().c_str(), 0755);
  const std::vector<int> descriptors{eventfd_.get(), memory};
  EXPECT_EQ(answer_to_member(path_, descriptors, {}), EACCES);
  EXPECT_EQ(answer_to_member(path_, descriptors, {4240, 4241}), EACCES);
  EXPECT_EQ(answer_to_member(path_, descriptors, {4240, kGroup, 4250}), 0);
  // Who is of the group has its rights and not those of the others.
  ASSERT_EQ(::fchmodat(memory, file, 0604, 0), 0);
  EXPECT_EQ(answer_to_member(path_, descriptors, {kGroup}), EACCES);
  EXPECT_EQ(answer_to_member(path_, descriptors, {}), 0);
}

TEST_F(NotifyService, LetsAUserRegisterOnlyWhatTheyMayRead) {
  ::fchmodat(cgroup_.memory_fd(),
             cgroups_are_unified() ? "memory.current" : "memory.usage_in_bytes", 0600, 0);
  ::chmod(path_.parent_path().c_str(), 0755);
  const int memory = cgroup_.memory_fd();
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(1);
    }
    const RawClient client(path_);
    const bool greeted = client.hello() == 0;
    ::_exit(greeted && client.ask({eventfd_.get(), memory}, 1).error == EACCES ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace evictd::test
