// SPDX-License-Identifier: Apache-2.0
#include "notify/disposer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "lingering_end.h"
#include "notify/descriptors.h"

namespace evictd::notify {
namespace {

using test::LingeringEnd;

/// A user who does not hang, nor is any of those who do.
constexpr uid_t kInnocent = 5000;

/// A pipe that tells when its one end is closed.
class WatchedPipe {
 public:
  WatchedPipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    watch_.reset(ends[0]);
    end_.reset(ends[1]);
  }

  std::vector<base::Fd> take() {
    std::vector<base::Fd> one;
    one.push_back(std::move(end_));
    return one;
  }
  [[nodiscard]] bool is_closed() const { return hangs_up_within(0); }
  /// Waits for it; the limit is only there so that a failing test ends.
  [[nodiscard]] bool closes() const { return hangs_up_within(20'000); }

 private:
  [[nodiscard]] bool hangs_up_within(int limit_ms) const {
    pollfd end{.fd = watch_.get(), .events = 0, .revents = 0};
    return ::poll(&end, 1, limit_ms) == 1 && (end.revents & POLLHUP) != 0;
  }

  base::Fd watch_;
  base::Fd end_;
};

/// Something that is not known to be harmless.
std::vector<base::Fd> unknown_descriptor() {
  std::vector<base::Fd> one;
  one.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!one.front()) {
    throw std::runtime_error("no descriptor left");
  }
  return one;
}

/// No thread can be started by the calling one from now on.
bool forbid_threads() {
  std::array<sock_filter, 5> steps = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{.len = steps.size(), .filter = steps.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// As many users as there may be threads, each with a descriptor whose close() hangs.
class DisposerBesideHangingUsers : public testing::Test {
 protected:
  void SetUp() override {
    uid_t uid = 1000;
    for (LingeringEnd& end : ends_) {
      disposer_.dispose(uid++, end.take());
    }
    ASSERT_EQ(disposer_.threads(), Disposer::kMostThreads);
  }

  std::array<LingeringEnd, Disposer::kMostThreads> ends_;
  Disposer disposer_;
};

TEST(Disposer, HasOneThreadForAllThatOneUserLeaves) {
  LingeringEnd end;
  Disposer disposer;
  disposer.dispose(1000, end.take());
  for (int i = 0; i < 15; ++i) {
    disposer.dispose(1000, unknown_descriptor());
  }
  WatchedPipe last;
  disposer.dispose(1000, last.take());
  EXPECT_EQ(disposer.threads(), 1U);
  EXPECT_EQ(disposer.pending(), 17U);
  end.let_go();
  EXPECT_TRUE(last.closes());
}

TEST(Disposer, ClosesForOthersWhileOneHangs) {
  LingeringEnd end;
  Disposer disposer;
  disposer.dispose(1000, end.take());
  WatchedPipe other;
  disposer.dispose(kInnocent, other.take());
  EXPECT_TRUE(other.closes());
}

TEST(Disposer, ClosesLaterWhatNoThreadWasToBeHadFor) {
  Disposer disposer;
  WatchedPipe pipe;
  bool forbidden = false;
  std::thread([&] {
    forbidden = forbid_threads();
    disposer.dispose(1000, pipe.take());
  }).join();
  ASSERT_TRUE(forbidden);
  ASSERT_EQ(disposer.threads(), 0U);
  ASSERT_FALSE(pipe.is_closed());
  // Whoever it is that sends a message, and though it carries nothing.
  disposer.dispose(kInnocent, {});
  EXPECT_TRUE(pipe.closes());
}

TEST(Disposer, SaysThatASocketIsClosed) {
  auto wake_up = base::WakeUp::create();
  ASSERT_TRUE(wake_up) << wake_up.error().message();
  const auto closed = std::make_shared<const base::WakeUp>(std::move(*wake_up));
  pollfd said{.fd = closed->descriptor(), .events = POLLIN, .revents = 0};
  Disposer disposer(closed);
  LingeringEnd end;
  disposer.dispose(1000, end.take(), Disposer::Kind::kConnection);
  ASSERT_EQ(::poll(&said, 1, 0), 0);
  end.let_go();
  EXPECT_EQ(::poll(&said, 1, 20'000), 1);
  EXPECT_EQ(disposer.pending(), 0U);
}

TEST_F(DisposerBesideHangingUsers, HasNoMoreThreadsThanItMay) {
  WatchedPipe pipe;
  disposer_.dispose(kInnocent, pipe.take());
  EXPECT_EQ(disposer_.threads(), Disposer::kMostThreads);
  EXPECT_FALSE(pipe.is_closed());
}

TEST_F(DisposerBesideHangingUsers, ClosesWhatWaitsOnceOneOfThemHangsNoMore) {
  WatchedPipe pipe;
  disposer_.dispose(kInnocent, pipe.take());
  ends_[1].let_go();
  EXPECT_TRUE(pipe.closes());
}

TEST_F(DisposerBesideHangingUsers, ClosesAtOnceWhatKeepsNobodyWaiting) {
  std::vector<base::Fd> harmless;
  for (const char* path : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory"}) {
    base::Fd directory(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory && check_directory(directory.get()) == 0) {
      harmless.push_back(std::move(directory));
    }
  }
  if (harmless.empty()) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  std::vector<int> numbers;
  numbers.reserve(harmless.size());
  for (const base::Fd& fd : harmless) {
    numbers.push_back(fd.get());
  }
  disposer_.dispose(kInnocent, std::move(harmless));
  EXPECT_EQ(disposer_.pending(), ends_.size());
  for (const int number : numbers) {
    EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  }
}

TEST_F(DisposerBesideHangingUsers, LeavesTheEndOfAnEventfdToAThread) {
  std::vector<base::Fd> eventfd;
  eventfd.emplace_back(::eventfd(0, EFD_CLOEXEC));
  disposer_.dispose(kInnocent, std::move(eventfd));
  EXPECT_EQ(disposer_.pending(), ends_.size() + 1);
}

TEST_F(DisposerBesideHangingUsers, CountsWhatHadBeenTakenApartFromWhatWasNot) {
  for (std::size_t i = 0; i < Disposer::kMostPending; ++i) {
    disposer_.dispose(kInnocent, unknown_descriptor(), Disposer::Kind::kRegistration);
  }
  EXPECT_TRUE(disposer_.has_room(kInnocent));
  EXPECT_EQ(disposer_.pending(Disposer::Kind::kRegistration, kInnocent), Disposer::kMostPending);
  EXPECT_EQ(disposer_.pending(Disposer::Kind::kRegistration, 1000), 0U);
  EXPECT_EQ(disposer_.pending(Disposer::Kind::kMessage), ends_.size());
}

TEST_F(DisposerBesideHangingUsers, LeavesOthersRoomHoweverMuchTheyLeave) {
  for (uid_t uid = 1000; uid < 1000 + Disposer::kMostThreads; ++uid) {
    std::size_t left = 1;
    while (left <= Disposer::kMostPending && disposer_.has_room(uid)) {
      disposer_.dispose(uid, unknown_descriptor());
      ++left;
    }
    EXPECT_EQ(left, Disposer::kMostPending);
  }
  EXPECT_TRUE(disposer_.has_room(kInnocent));
}

TEST_F(DisposerBesideHangingUsers, HasNoMoreWaitingThanItMayHoweverManyUsersThereAre) {
  for (uid_t uid = 2000; uid < 2100; ++uid) {
    while (disposer_.has_room(uid) && disposer_.pending() <= Disposer::kMostPendingOfAll) {
      disposer_.dispose(uid, unknown_descriptor());
    }
  }
  EXPECT_LE(disposer_.pending(), Disposer::kMostPendingOfAll);
}

}  // namespace
}  // namespace evictd::notify
