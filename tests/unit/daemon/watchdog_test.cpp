// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/watchdog.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

using std::chrono::microseconds;

/// What a service manager hears, at an address that the kernel picked.
class WatchdogOfAManager : public testing::Test {
 protected:
  void SetUp() override {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(socket_.get(), name, sizeof(sa_family_t)), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(getsockname(socket_.get(), name, &size), 0);
    const std::size_t length = size - offsetof(sockaddr_un, sun_path) - 1;
    setenv("NOTIFY_SOCKET", ("@" + std::string(&address.sun_path[1], length)).c_str(), 1);
  }
  void TearDown() override {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
  }

  static void expect_every(const char* usec) { setenv("WATCHDOG_USEC", usec, 1); }
  [[nodiscard]] Watchdog watchdog() {
    return Watchdog::create({.heartbeat = &heartbeat_, .wake_up = &wake_up_}).value();
  }
  /// Empty when nothing more was said.
  [[nodiscard]] std::string heard() const {
    std::array<char, 128> text{};
    const ssize_t size = recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
  }

  base::Fd socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  base::WakeUp wake_up_ = base::WakeUp::create().value();
  std::atomic<std::uint64_t> heartbeat_{0};
};

TEST_F(WatchdogOfAManager, FirstPingIsAtStartAndThenWithinHalfTheTimeout) {
  for (const int usec : {3'000, 400'000, 1'000'000, 3'000'000, 30'000'000}) {
    expect_every(std::to_string(usec).c_str());
    Watchdog dog = watchdog();
    EXPECT_EQ(heard(), "");
    dog.start(kNow);
    EXPECT_EQ(heard(), "WATCHDOG=1") << usec;
    MonoTime last = kNow;
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(dog.due() - last, microseconds(usec) / 2) << usec;
      EXPECT_GT(dog.due() - last, microseconds(usec) / 4) << "no busier than that needs";
      last = dog.due();
      EXPECT_EQ(wake_up_.consume(), 1U) << "the hot thread is asked";
      ++heartbeat_;
      dog.on_timer(last);
      EXPECT_EQ(heard(), "WATCHDOG=1") << usec;
    }
    static_cast<void>(wake_up_.consume());
  }
}

TEST_F(WatchdogOfAManager, IsNotToldThatAHungHotThreadIsWell) {
  expect_every("400000");
  Watchdog dog = watchdog();
  ++heartbeat_;
  dog.start(kNow);
  EXPECT_EQ(heard(), "WATCHDOG=1");
  dog.on_timer(dog.due());
  EXPECT_EQ(heard(), "");
  ++heartbeat_;
  dog.on_timer(dog.due());
  EXPECT_EQ(heard(), "WATCHDOG=1") << "it goes on";
}

TEST_F(WatchdogOfAManager, ThatAsksForNoneHearsNothingAndWakesNobody) {
  Watchdog dog = watchdog();
  dog.start(kNow);
  EXPECT_EQ(heard(), "");
  EXPECT_EQ(dog.due(), MonoTime{});
  EXPECT_EQ(wake_up_.consume(), 0U);
}

TEST_F(WatchdogOfAManager, ThatWaitsForAnAbsurdlyShortTimeKeepsNoCpuBusy) {
  expect_every("1");
  Watchdog dog = watchdog();
  dog.start(kNow);
  EXPECT_EQ(dog.due() - kNow, std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace evictd::daemon
