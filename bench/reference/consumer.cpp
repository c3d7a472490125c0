// SPDX-License-Identifier: Apache-2.0
#include "reference/consumer.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "reference/watcher.h"

namespace evictd::bench {
namespace {

/// evictd's own default, so that the two variants differ in the mechanism only.
constexpr int kRealtimePriority = 10;

bool become_realtime() {
  const sched_param parameters{kRealtimePriority};
  return ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0 &&
         ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

/// Closes all inherited descriptors but `channel`, such as BPF links and other consumers' channels.
int keep_only(int channel) {
  constexpr int kKept = 3;
  ::dup2(channel, kKept);
  ::close_range(kKept + 1, ~0U, 0);
  return kKept;
}

[[noreturn]] void run_child(const ConsumerOptions& options, int inherited) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int channel = keep_only(inherited);
  // The parent handles Ctrl-C; the end of the channel stops this process.
  std::signal(SIGINT, SIG_IGN);
  Result<Watcher> watcher = Watcher::create(options, channel);
  const char ready = watcher && (!options.realtime || become_realtime()) ? 1 : 0;
  if (::write(channel, &ready, 1) == 1 && ready == 1) {
    watcher->run();
  }
  ::_exit(0);
}

}  // namespace

Consumer::Consumer(pid_t pid, base::Fd channel) : pid_(pid), channel_(std::move(channel)) {}

Consumer& Consumer::operator=(Consumer&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  return *this;
}

Consumer::~Consumer() {
  if (channel_) {
    channel_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
}

Result<Consumer> Consumer::start(const ConsumerOptions& options) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "make a channel to a reference consumer");
  }
  base::Fd ours{ends[0]};
  base::Fd theirs{ends[1]};
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "fork a reference consumer");
  }
  if (pid == 0) {
    ours.reset();
    run_child(options, theirs.get());
  }
  theirs.reset();
  Consumer consumer{pid, std::move(ours)};
  char ready = 0;
  if (::read(consumer.channel_.get(), &ready, 1) != 1 || ready != 1) {
    return fail(Errc::kUnsupported,
                "a reference consumer cannot read " + options.directory.string() +
                    (options.realtime ? " or is refused real-time priority" : ""));
  }
  return consumer;
}

Result<> Consumer::exchange(pid_t victim, Bytes level) {
  const ConsumerOrder order{victim, level.value};
  char done = 0;
  if (::write(channel_.get(), &order, sizeof(order)) != sizeof(order) ||
      ::read(channel_.get(), &done, 1) != 1) {
    return fail(Errc::kIo, "a reference consumer is gone");
  }
  return {};
}

Result<> Consumer::arm(pid_t victim, Bytes level) {
  return exchange(victim, level);
}
Result<> Consumer::disarm() {
  return exchange(0, Bytes{0});
}

}  // namespace evictd::bench
