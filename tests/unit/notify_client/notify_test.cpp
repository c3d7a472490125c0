// SPDX-License-Identifier: Apache-2.0
#include "evictd/notify.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "notify_client/socket_client.h"
#include "notify_ground.h"
#include "support/few_descriptors.h"

namespace evictd::test {
namespace {

TEST_F(Notify, FiresTheEventfdThatWasRegistered) {
  open();
  const base::Fd eventfd = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(eventfd, &id), 0);
  EXPECT_NE(id, 0U);
  EXPECT_TRUE(is_silent(eventfd));
  server_->fire();
  server_->fire();
  EXPECT_EQ(take(eventfd), 2U);
}

TEST_F(Notify, TellsTheServerEverythingThatIsAskedFor) {
  open();
  const base::Fd eventfd = make_eventfd();
  const evictd_notify_watch watch{.signal = EVICTD_NOTIFY_MEMSW,
                                  .unit = EVICTD_NOTIFY_OF_LIMIT,
                                  .direction = EVICTD_NOTIFY_DOWN,
                                  .mode = EVICTD_NOTIFY_DEFAULT,
                                  .threshold = EVICTD_NOTIFY_PERCENT(92.5),
                                  .hysteresis = EVICTD_NOTIFY_PERCENT(1),
                                  .reserved = {}};
  ASSERT_EQ(evictd_notify_register(handle_, cgroup().c_str(), &watch, eventfd.get(), nullptr), 0);
  const evictd_notify_register_request request = server_->last_request();
  EXPECT_EQ(request.signal, static_cast<std::uint32_t>(EVICTD_NOTIFY_MEMSW));
  EXPECT_EQ(request.unit, static_cast<std::uint32_t>(EVICTD_NOTIFY_OF_LIMIT));
  EXPECT_EQ(request.direction, static_cast<std::uint32_t>(EVICTD_NOTIFY_DOWN));
  EXPECT_EQ(request.threshold, 925000U);
  EXPECT_EQ(request.hysteresis, 10000U);
  EXPECT_EQ(request.eventfd, eventfd.get());
}

TEST_F(Notify, NothingIsAddedAfterUnregistration) {
  open();
  const base::Fd eventfd = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(eventfd, &id), 0);
  EXPECT_EQ(evictd_notify_unregister(handle_, id), 0);
  EXPECT_EQ(server_->registrations(), 0U);
  server_->fire();
  EXPECT_TRUE(is_silent(eventfd));
  EXPECT_EQ(evictd_notify_unregister(handle_, id), ENOENT);
}

TEST_F(Notify, ClosingTheHandleUnregistersBeforeItReturns) {
  open();
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  ASSERT_EQ(register_one(eventfd), 0);
  close();
  EXPECT_EQ(server_->registrations(), 0U);
  EXPECT_GE(::fcntl(eventfd.get(), F_GETFD), 0);
}

TEST_F(Notify, ClosedEventfdsAndRemovedCgroupsAreForgottenInTime) {
  open();
  const base::Fd kept = make_eventfd();
  ASSERT_EQ(register_one(kept), 0);
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) {
    const base::Fd closed = make_eventfd();
    ASSERT_EQ(register_one(closed), 0);
  }
  EXPECT_LE(info().registrations, 130U);
  EXPECT_EQ(server_->registrations(), info().registrations);
  server_->fire();
  EXPECT_EQ(take(kept), 1U);
}

TEST_F(Notify, AClientShortOfDescriptorsForgetsNothingThatIsOpen) {
  open();
  const base::Fd eventfd = make_eventfd();
  const base::Fd other = make_eventfd();
  constexpr std::uint64_t kUntilLookedThrough = 64;
  ASSERT_EQ(register_one(eventfd), 0);
  await_the_client_thread(eventfd);
  for (std::uint64_t i = 1; i < kUntilLookedThrough; ++i) {
    ASSERT_EQ(register_one(eventfd), 0);
  }
  {
    // One is the cgroup's while the others are looked through.
    const FewDescriptors few(2);
    EXPECT_EQ(register_one(other), 0);
  }
  EXPECT_EQ(info().registrations, kUntilLookedThrough + 1);
  EXPECT_EQ(server_->registrations(), kUntilLookedThrough + 1);
  server_->fire();
  EXPECT_EQ(take(eventfd), kUntilLookedThrough);
}

TEST_F(Notify, RegisteringWithTooFewDescriptorsSaysSo) {
  open();
  const base::Fd eventfd = make_eventfd();
  // UBSan needs two descriptors for its first look at the client; see FewDescriptors.
  ASSERT_EQ(register_one(eventfd), 0);
  await_the_client_thread(eventfd);
  {
    const FewDescriptors few(1);
    EXPECT_EQ(register_one(eventfd), EMFILE);
  }
  EXPECT_EQ(register_one(eventfd), 0);
}

TEST_F(Notify, AServerThatDoesNotAnswerCostsATimeout) {
  server_->behave(Manner::kMute);
  const auto client = notify_client::SocketClient::create(
      socket(), {.request = std::chrono::milliseconds(1), .retry = std::chrono::milliseconds(1)});
  ASSERT_FALSE(client.has_value());
  EXPECT_EQ(client.error().sys_errno, ETIMEDOUT);
}

/// Whether a thread of this process is in connect(2).
bool is_connecting(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
  long number = -1;
  return file >> number && number == SYS_connect;
}

TEST_F(Notify, AQueueThatOthersHaveFilledIsWaitedFor) {
  const std::string path = tree_.real("/full");
  const base::Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), name, sizeof(address)), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  const base::Fd other(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(other.get(), name, sizeof(address)), 0);  // has the only place

  std::atomic<pid_t> thread = 0;
  std::atomic<bool> ended = false;
  int error = 0;
  std::thread opening([&] {
    thread = ::gettid();
    error = evictd_notify_open(path.c_str(), 0, &handle_);
    ended = true;
  });
  while (!ended && !is_connecting(thread)) {
    std::this_thread::yield();
  }
  const base::Fd first(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_FALSE(ended) << error;
  if (!ended) {
    // It has its turn now; hanging up is answer enough.
    const base::Fd second(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  opening.join();
  EXPECT_EQ(error, ECONNREFUSED);
}

TEST_F(Notify, OpenSaysWhyItFails) {
  EXPECT_EQ(evictd_notify_open(tree_.real("/none").c_str(), 0, &handle_), ENOENT);
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 1U << 31, &handle_), EINVAL);
  EXPECT_EQ(evictd_notify_open("", 0, &handle_), ENOENT);
  EXPECT_EQ(evictd_notify_open(std::string(200, 'x').c_str(), 0, &handle_), ENAMETOOLONG);
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 0, nullptr), EFAULT);
  server_->behave(Manner::kOtherVersion);
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 0, &handle_), EPROTONOSUPPORT);
  server_->behave(Manner::kGarbled);
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 0, &handle_), EPROTO);
  server_->behave(Manner::kHangsUp);
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 0, &handle_), ECONNREFUSED);
  kill_server();
  EXPECT_EQ(evictd_notify_open(socket().c_str(), 0, &handle_), ECONNREFUSED);
}

TEST_F(Notify, UnreadableFdIsRefusedAlsoForARegisteredCgroup) {
  open();
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  const base::Fd place(::open(cgroup().c_str(), O_PATH | O_CLOEXEC));
  EXPECT_EQ(evictd_notify_register_at(handle_, place.get(), &kWatch, eventfd.get(), nullptr),
            EBADF);
}

TEST_F(Notify, RegisterSaysWhyItFails) {
  open();
  const base::Fd eventfd = make_eventfd();
  const base::Fd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const int closed = make_eventfd().get();
  EXPECT_EQ(register_one(file), EBADF);
  EXPECT_EQ(evictd_notify_register(handle_, cgroup().c_str(), &kWatch, closed, nullptr), EBADF);
  EXPECT_EQ(evictd_notify_register(handle_, "/none", &kWatch, eventfd.get(), nullptr), ENOENT);
  EXPECT_EQ(evictd_notify_register(handle_, "/dev/null", &kWatch, eventfd.get(), nullptr), ENOTDIR);
  EXPECT_EQ(evictd_notify_register_at(handle_, -1, &kWatch, eventfd.get(), nullptr), EBADF);
  EXPECT_EQ(evictd_notify_register(handle_, nullptr, &kWatch, eventfd.get(), nullptr), EFAULT);
  EXPECT_EQ(evictd_notify_register(nullptr, "/", &kWatch, eventfd.get(), nullptr), EFAULT);
  evictd_notify_watch later = kWatch;
  later.reserved[1] = 1;
  EXPECT_EQ(evictd_notify_register(handle_, cgroup().c_str(), &later, eventfd.get(), nullptr),
            EINVAL);
  for (const int refusal : {EDQUOT, EACCES, ENODEV, EOPNOTSUPP}) {
    server_->behave(Manner::kForgetful, refusal);
    EXPECT_EQ(register_one(eventfd), refusal);
  }
  EXPECT_EQ(info().registrations, 0U);
  EXPECT_EQ(info().connected, 1U);
}

TEST_F(Notify, AnAnswerToAnotherRequestEndsTheConnection) {
  open();
  const base::Fd eventfd = make_eventfd();
  ASSERT_EQ(register_one(eventfd), 0);
  server_->behave(Manner::kGarbled);
  std::uint64_t id = 0;
  EXPECT_EQ(register_one(eventfd, &id), EPROTO);
  server_->behave(Manner::kProper);
  EXPECT_EQ(take(eventfd), 1U);
  server_->await_registrations(1);
}

TEST_F(Notify, TheStateIsTheServers) {
  open();
  const base::Fd eventfd = make_eventfd();
  std::uint64_t id = 0;
  ASSERT_EQ(register_one(eventfd, &id), 0);
  const evictd_notify_state seen = state(id);
  EXPECT_EQ(seen.error, 0);
  EXPECT_EQ(seen.side, static_cast<std::uint32_t>(EVICTD_NOTIFY_ABOVE));
  EXPECT_EQ(seen.value, 4096U);
  EXPECT_EQ(seen.deliveries, 3U);
  evictd_notify_state none{};
  EXPECT_EQ(evictd_notify_query(handle_, id + 1, &none), ENOENT);
  EXPECT_EQ(info().max_registrations, 1000U);
}

TEST_F(Notify, RegistersInTheWordsOfAControlFile) {
  open();
  const base::Fd eventfd = make_eventfd();
  const std::string usage = cgroup() + "/memory.usage_in_bytes";
  ASSERT_EQ(evictd_notify_register_control(handle_, usage.c_str(), "5M", eventfd.get(), nullptr),
            0);
  EXPECT_EQ(server_->last_request().threshold, 5U << 20);
  const std::string pressure = cgroup() + "/memory.pressure_level";
  ASSERT_EQ(evictd_notify_register_control(handle_, pressure.c_str(), "critical,local",
                                           eventfd.get(), nullptr),
            0);
  EXPECT_EQ(server_->last_request().signal, static_cast<std::uint32_t>(EVICTD_NOTIFY_PRESSURE));
  EXPECT_EQ(server_->last_request().mode, static_cast<std::uint32_t>(EVICTD_NOTIFY_LOCAL));
  EXPECT_EQ(evictd_notify_register_control(handle_, usage.c_str(), "x", eventfd.get(), nullptr),
            EINVAL);
}

TEST_F(Notify, ThreadsShareAHandleWhileTheServerRestarts) {
  open();
  constexpr int kThreads = 4;
  constexpr int kTurns = 100;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const base::Fd eventfd = make_eventfd();
        std::uint64_t id = 0;
        const int error = register_one(eventfd, &id);
        if (error != 0 && error != ENOTCONN) {
          ++wrong;
        }
        if (error == 0 && evictd_notify_unregister(handle_, id) != 0) {
          ++wrong;
        }
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    server_->hang_up();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(info().registrations, 0U);
  server_->await_registrations(0);
}

TEST_F(Notify, ManyRegistrationsOfACgroupCostOneDescriptorOfIt) {
  open();
  const base::Fd eventfd = make_eventfd();
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  ASSERT_EQ(register_one(eventfd), 0);
  // Those that the server has are in this process too: two for each.
  const auto before = open_descriptors();
  constexpr int kMore = 100;
  for (int i = 0; i < kMore; ++i) {
    ASSERT_EQ(register_one(eventfd), 0);
  }
  EXPECT_EQ(open_descriptors() - before, 2 * kMore);
}

}  // namespace
}  // namespace evictd::test
