// SPDX-License-Identifier: Apache-2.0
// Clients that do harm, and another one that goes on being served meanwhile.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <optional>
#include <utility>

#include "notify/disposer.h"
#include "service_ground.h"
#include "silent_fuse.h"

namespace evictd::test {
namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// A polite client that has registered before the others come.
class NotifyBesideHostileOnes : public NotifyService {
 protected:
  void SetUp() override {
    NotifyService::SetUp();
    polite_.emplace(path_);
    ASSERT_EQ(polite_->hello(), 0);
    ASSERT_EQ(
        polite_->ask({eventfd_.get(), cgroup_.memory_fd()}, 32 * kMegabyte, eventfd_.get()).error,
        0);
  }
  void TearDown() override {
    polite_.reset();
    NotifyService::TearDown();
  }

  /// It is told of a crossing, and answered; and so is one that comes now.
  void expect_served() {
    const std::uint64_t before = eventfd_.count();
    {
      TestChild child(cgroup_);
      ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMegabyte));
      EXPECT_GT(eventfd_.crossed(before), 0U);
    }
    expect_answered();
  }
  void expect_answered() {
    EXPECT_EQ(polite_->status().error, 0);
    CountedEventfd another;
    const RawClient late(path_);
    EXPECT_EQ(late.hello(), 0);
    EXPECT_EQ(late.ask({another.get(), cgroup_.memory_fd()}, kMegabyte, another.get()).error, 0);
  }
  /// Waits until the service has nothing left of anybody but the polite one; the limit is only
  /// there so that a failing test ends.
  bool others_are_gone() {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    evictd_notify_status_reply now = polite_->status();
    while ((now.connections != 1 || now.registrations != 1) &&
           std::chrono::steady_clock::now() < give_up) {
      now = polite_->status();
    }
    return now.connections == 1 && now.registrations == 1;
  }
  /// Waits until the service has `wanted` registrations; the limit is only there so that a failing
  /// test ends.
  bool registrations_become(std::uint32_t wanted) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    evictd_notify_status_reply now = polite_->status();
    while (now.error == 0 && now.registrations != wanted &&
           std::chrono::steady_clock::now() < give_up) {
      now = polite_->status();
    }
    return now.error == 0 && now.registrations == wanted;
  }
  /// Runs `what` in a process that then dies, without the end of anything being told.
  static void in_a_process_that_dies(const std::function<void()>& what) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      what();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  std::optional<RawClient> polite_;
};

TEST_F(NotifyBesideHostileOnes, IsServedWhileOthersStall) {
  // One says nothing, one stops after its greeting, one does not read what it asked for.
  const RawClient silent(path_);
  const RawClient greeted(path_);
  ASSERT_EQ(greeted.hello(), 0);
  const RawClient unread(path_);
  ASSERT_EQ(unread.hello(), 0);
  for (int i = 0; i < 3; ++i) {
    unread.send(evictd_notify_status{.header = RawClient::header(EVICTD_NOTIFY_STATUS)});
  }
  ASSERT_NO_FATAL_FAILURE(expect_served());
  EXPECT_EQ(unread.receive<evictd_notify_status_reply>().error, 0) << "and its replies are kept";
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileAnotherFloodsAndNeverReads) {
  const RawClient flood(path_);
  ASSERT_EQ(flood.hello(), 0);
  std::thread flooding([&] {
    while (flood.send(evictd_notify_status{.header = RawClient::header(EVICTD_NOTIFY_STATUS)})) {
    }
  });
  EXPECT_NO_FATAL_FAILURE(expect_served());
  flooding.join();  // the server has parted with it
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileOthersComeAndGoAtOnce) {
  std::atomic<bool> enough = false;
  std::thread coming([&] {
    while (!enough) {
      const RawClient passing(path_);
    }
  });
  EXPECT_NO_FATAL_FAILURE(expect_served());
  enough = true;
  coming.join();
  EXPECT_TRUE(others_are_gone());
}

TEST_F(NotifyBesideHostileOnes, IsServedAfterGarbageOfEverySize) {
  std::uint32_t state = 1;
  std::array<std::uint8_t, 2 * EVICTD_NOTIFY_MESSAGE_MAX> garbage{};
  for (std::size_t size = 0; size <= garbage.size(); size += 3) {
    for (std::uint8_t& byte : garbage) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    const RawClient raw(path_);
    raw.send_bytes(garbage.data(), size);
    EXPECT_TRUE(raw.is_closed()) << size;
    // The same behind what begins as a message does, of every type.
    const RawClient disguised(path_);
    ASSERT_EQ(disguised.hello(), 0);
    const evictd_notify_header begin = RawClient::header(static_cast<std::uint32_t>(size % 8));
    std::memcpy(garbage.data(), &begin, sizeof(begin));
    disguised.send_bytes(garbage.data(), size);
  }
  EXPECT_TRUE(others_are_gone());
  ASSERT_NO_FATAL_FAILURE(expect_served());
}

TEST_F(NotifyBesideHostileOnes, IsServedAfterWordsThatNameNothing) {
  const RawClient raw(path_);
  ASSERT_EQ(raw.hello(), 0);
  using Request = evictd_notify_register_request;
  for (__u32 Request::*word :
       {&Request::signal, &Request::unit, &Request::direction, &Request::mode}) {
    for (const std::uint32_t value : {8U, 0x7fffffffU, 0x80000000U, 0x80000005U, 0xffffffffU}) {
      CountedEventfd eventfd;
      Request wish{};
      wish.header = RawClient::header(EVICTD_NOTIFY_REGISTER);
      wish.signal = EVICTD_NOTIFY_PRESSURE;
      wish.*word = value;
      raw.send(wish, {eventfd.get(), cgroup_.memory_fd()});
      EXPECT_EQ(raw.receive<evictd_notify_register_reply>().error, EINVAL) << value;
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_served());
}

TEST_F(NotifyBesideHostileOnes, IsServedAfterWrongDescriptors) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const base::Fd pipe_out(ends[0]);
  const base::Fd pipe_in(ends[1]);
  const base::Fd device(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  const base::Fd folder(::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const RawClient wrong(path_);
  ASSERT_EQ(wrong.hello(), 0);
  const int cgroup = cgroup_.memory_fd();
  const CountedEventfd own;
  for (const int fd :
       {pipe_out.get(), pipe_in.get(), device.get(), folder.get(), wrong.descriptor()}) {
    EXPECT_EQ(wrong.ask({fd, cgroup}, 1).error, EBADF);
    EXPECT_EQ(wrong.ask({own.get(), fd}, 1, own.get()).error, fd == folder.get() ? ENOTDIR : EBADF);
    EXPECT_EQ(wrong.ask({cgroup, fd}, 1).error, fd == folder.get() ? ENOTDIR : EBADF);
  }
  EXPECT_EQ(polite_->status().registrations, 1U);
  ASSERT_NO_FATAL_FAILURE(expect_served());
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileTheFilesystemOfADescriptorDoesNotAnswer) {
  base::Fd file;  // Outlives the filesystem, or its end would be waited for here.
  base::Fd folder;
  SilentFuse filesystem;
  if (!filesystem.missing().empty()) {
    GTEST_SKIP() << filesystem.missing();
  }
  file.reset(::open((filesystem.path() + "/f").c_str(), O_RDONLY | O_CLOEXEC));
  folder.reset(::open(filesystem.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(file && folder);
  filesystem.fall_silent();
  const CountedEventfd own;
  {
    const RawClient hostile(path_);
    ASSERT_EQ(hostile.hello(), 0);
    EXPECT_EQ(hostile.ask({own.get(), file.get()}, 1, own.get()).error, EBADF);
    EXPECT_EQ(hostile.ask({own.get(), folder.get()}, 1, own.get()).error, ENOTDIR);
    EXPECT_EQ(hostile.ask({file.get(), cgroup_.memory_fd()}, 1).error, EBADF);
    hostile.send(evictd_notify_status{.header = RawClient::header(EVICTD_NOTIFY_STATUS)},
                 {file.get()});
    EXPECT_EQ(hostile.receive<evictd_notify_status_reply>().error, EBADMSG);
  }
  // Without a process of its own: it would have these files too, and not end.
  expect_answered();
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileAnotherLeavesItsDescriptorsUnclosed) {
  base::Fd file;  // Outlives the filesystem, or its end would be waited for here.
  SilentFuse filesystem;
  if (!filesystem.missing().empty()) {
    GTEST_SKIP() << filesystem.missing();
  }
  file.reset(::open((filesystem.path() + "/f").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(file);
  filesystem.fall_silent();
  const RawClient hostile(path_);
  ASSERT_EQ(hostile.hello(), 0);
  const std::ptrdiff_t threads = threads_of_this_process();
  std::size_t taken = 0;
  while (taken < 1000 && hostile.ask({file.get(), file.get()}, 1).error == EBADF) {
    ++taken;
  }
  EXPECT_EQ(taken, notify::Disposer::kMostPending / 2) << "two descriptors each";
  EXPECT_EQ(threads_of_this_process(), threads + 1) << "which all of them wait for";
  EXPECT_EQ(polite_->status().error, 0);
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileASetThatIsLockedIsInPlaceOfAnEventfd) {
  base::Fd file;  // Outlives the filesystem, or its end would be waited for here.
  const base::Fd set(::epoll_create1(EPOLL_CLOEXEC));
  CountedEventfd own;
  std::optional<SilentFuse> filesystem(std::in_place);
  if (!filesystem->missing().empty()) {
    GTEST_SKIP() << filesystem->missing();
  }
  TestChild child(cgroup_);  // Before there is the file, which it would have too.
  file.reset(::open((filesystem->path() + "/f").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(file && set);
  const RawClient hostile(path_);
  ASSERT_EQ(hostile.hello(), 0);
  ASSERT_EQ(hostile.ask({own.get(), cgroup_.memory_fd()}, 32 * kMegabyte, own.get()).error, 0);
  filesystem->fall_silent();
  std::thread adding([&] {
    epoll_event event{.events = EPOLLIN, .data = {}};
    ::epoll_ctl(set.get(), EPOLL_CTL_ADD, file.get(), &event);
  });
  filesystem->await_unanswered();
  EXPECT_EQ(::dup3(set.get(), own.get(), O_CLOEXEC), own.get());
  // A delivery has the service look at the number soon.
  EXPECT_TRUE(child.run(Work::kTouch4K, 64 * kMegabyte));
  EXPECT_TRUE(registrations_become(1)) << "the eventfd's number is closed, and that is seen";
  EXPECT_NO_FATAL_FAILURE(expect_answered());
  filesystem.reset();  // The end of the wait, and of whoever else hangs.
  adding.join();
}

/// An epoll set with eventfds whose lock is held, from lock() on, for as long as it is there.
class LockedSet {
 public:
  /// Why there can be none; empty if there can.
  [[nodiscard]] const std::string& missing() const { return filesystem_->missing(); }
  /// An eventfd that is in the set.
  base::Fd eventfd() {
    base::Fd made(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    epoll_event event{.events = EPOLLIN, .data = {}};
    EXPECT_EQ(::epoll_ctl(set_.get(), EPOLL_CTL_ADD, made.get(), &event), 0);
    return made;
  }
  void lock() {
    file_.reset(::open((filesystem_->path() + "/f").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(file_);
    filesystem_->fall_silent();
    adding_ = std::thread([this] {
      epoll_event event{.events = EPOLLIN, .data = {}};
      ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, file_.get(), &event);
    });
    filesystem_->await_unanswered();
  }

  LockedSet() = default;
  LockedSet(const LockedSet&) = delete;
  LockedSet& operator=(const LockedSet&) = delete;
  ~LockedSet() {
    filesystem_.reset();  // The end of the wait, and of whoever else hangs.
    if (adding_.joinable()) {
      adding_.join();
    }
  }

 private:
  base::Fd set_{::epoll_create1(EPOLL_CLOEXEC)};
  base::Fd file_;
  std::optional<SilentFuse> filesystem_{std::in_place};
  std::thread adding_;
};

TEST_F(NotifyBesideHostileOnes, IsServedDuringTheCloseOfAnEventfdInALockedSet) {
  TestChild child(cgroup_);  // Before there are the eventfds, which it would have too.
  LockedSet set;
  if (!set.missing().empty()) {
    GTEST_SKIP() << set.missing();
  }
  std::optional<RawClient> hostile(path_);
  ASSERT_EQ(hostile->hello(), 0);
  base::Fd removed = set.eventfd();
  base::Fd left = set.eventfd();
  const evictd_notify_register_reply first =
      hostile->ask({removed.get(), cgroup_.memory_fd()}, 32 * kMegabyte);
  ASSERT_EQ(first.error, 0);
  ASSERT_EQ(hostile->ask({left.get(), cgroup_.memory_fd()}, 32 * kMegabyte).error, 0);
  // What the service has of them is the last from now on.
  removed.reset();
  left.reset();
  ASSERT_NO_FATAL_FAILURE(set.lock());
  evictd_notify_unregister_request wish{};
  wish.header = RawClient::header(EVICTD_NOTIFY_UNREGISTER);
  wish.registration = first.registration;
  hostile->send(wish);
  ASSERT_EQ(hostile->receive<evictd_notify_unregister_reply>().error, 0);
  ASSERT_TRUE(registrations_become(2));
  hostile.reset();
  ASSERT_TRUE(registrations_become(1));
  const std::uint64_t before = eventfd_.count();
  EXPECT_TRUE(child.run(Work::kTouch4K, 64 * kMegabyte));
  EXPECT_GT(eventfd_.crossed(before), 0U);
  EXPECT_NO_FATAL_FAILURE(expect_answered());
}

TEST_F(NotifyBesideHostileOnes, IsToldBesideEventfdsThatAreFull) {
  // A write() to one of these would block.
  std::list<base::Fd> full;
  const RawClient client(path_);
  ASSERT_EQ(client.hello(), 0);
  for (int i = 0; i < 4; ++i) {
    full.emplace_back(::eventfd(0, EFD_CLOEXEC));
    ASSERT_EQ(::eventfd_write(full.back().get(), std::numeric_limits<std::uint64_t>::max() - 1), 0);
    ASSERT_EQ(client.ask({full.back().get(), cgroup_.memory_fd()}, 31 * kMegabyte).error, 0);
  }
  ASSERT_NO_FATAL_FAILURE(expect_served());
}

TEST_F(NotifyBesideHostileOnes, IsServedAfterOthersHaveDiedInEveryState) {
  const int memory = cgroup_.memory_fd();
  const auto ask_and_die = [&](int requests) {
    in_a_process_that_dies([&] {
      const RawClient dying(path_);
      dying.send(evictd_notify_hello{
          .header = RawClient::header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
      for (int i = 0; i < requests; ++i) {
        evictd_notify_register_request wish{};
        wish.header = RawClient::header(EVICTD_NOTIFY_REGISTER);
        wish.threshold = (16 + static_cast<std::uint64_t>(i)) * kMegabyte;
        wish.eventfd = -1;
        dying.send(wish, {eventfd_.get(), memory});
      }
    });
  };
  for (const int requests : {0, 1, 2, 20}) {
    ASSERT_NO_FATAL_FAILURE(ask_and_die(requests));
  }
  in_a_process_that_dies([&] { const RawClient silent(path_); });
  EXPECT_TRUE(others_are_gone());
  ASSERT_NO_FATAL_FAILURE(expect_served());
}

TEST_F(NotifyBesideHostileOnes, IsServedWhileAnotherUserHasAllThatOneMayHave) {
  ::chmod(path_.parent_path().c_str(), 0755);
  std::array<int, 2> ready{};
  std::array<int, 2> hold{};
  ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(hold.data(), O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(hold[1]);
    constexpr uid_t kNobody = 65534;
    if (::setresgid(kNobody, kNobody, kNobody) != 0 ||
        ::setresuid(kNobody, kNobody, kNobody) != 0) {
      ::_exit(1);
    }
    std::list<RawClient> many;
    bool refused = false;
    while (!refused) {
      many.emplace_back(path_);
      refused = many.back().hello() != 0;
    }
    char byte = 0;
    const bool told = ::write(ready[1], &byte, 1) == 1;
    ::_exit(told && ::read(hold[0], &byte, 1) == 0 ? 0 : 2);
  }
  ::close(ready[1]);
  ::close(hold[0]);
  const base::Fd end_of_ready(ready[0]);
  base::Fd end_of_hold(hold[1]);
  char byte = 0;
  EXPECT_EQ(::read(end_of_ready.get(), &byte, 1), 1);
  EXPECT_NO_FATAL_FAILURE(expect_served());
  end_of_hold.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace evictd::test
