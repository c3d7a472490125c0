// SPDX-License-Identifier: Apache-2.0
#include "enforce/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/fd.h"
#include "base/system_clock.h"
#include "enforce/spawn.h"
#include "sys/pidfd.h"

namespace evictd::enforce {

namespace {

constexpr std::size_t kMostOutput = std::size_t{16} * 1024;

/// Takes what is there; false at the end.
bool read_some(int fd, std::string& output) {
  std::array<char, 4096> chunk{};
  const ssize_t got = ::read(fd, chunk.data(), chunk.size());
  if (got <= 0) {
    return got < 0 && (errno == EAGAIN || errno == EINTR);
  }
  const std::size_t room = kMostOutput - std::min(kMostOutput, output.size());
  output.append(chunk.data(), std::min(static_cast<std::size_t>(got), room));
  return true;
}

int milliseconds_until(MonoTime deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - base::SystemClock{}.now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

/// Waits until the program has ended, its time is over, or it must stop.
void await(int pidfd, base::Fd output, const CommandOptions& options, CommandEnd& end) {
  const MonoTime deadline = base::SystemClock{}.now() + options.timeout;
  std::array<pollfd, 3> watched{
      {{pidfd, POLLIN, 0}, {output.get(), POLLIN, 0}, {options.stop_fd, POLLIN, 0}}};
  for (;;) {
    const int left = milliseconds_until(deadline);
    ::poll(watched.data(), watched.size(), left);
    if (watched[1].revents != 0 && !read_some(output.get(), end.output)) {
      watched[1].fd = -1;
    }
    if (watched[2].revents != 0) {
      end.stopped = true;
      return;
    }
    if (watched[0].revents != 0) {
      // Reads what it wrote before its exit. A remaining child may still hold the pipe, and write
      // for ever.
      while (watched[1].fd >= 0 && end.output.size() < kMostOutput &&
             ::poll(&watched[1], 1, 0) > 0 && read_some(output.get(), end.output)) {
      }
      return;
    }
    // Checks the clock: with a pipe that is never empty, poll() itself never times out.
    if (left == 0) {
      end.timed_out = true;
      return;
    }
  }
}

}  // namespace

std::string CommandEnd::text() const {
  if (timed_out) {
    return "killed after its timeout";
  }
  if (stopped) {
    return "killed because evictd exits";
  }
  return WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

Result<CommandEnd> run_command(const CommandOptions& options) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return fail_errno(errno, "make a pipe for " + options.argv.front());
  }
  base::Fd reads(pipe[0]);
  base::Fd writes(pipe[1]);
  // Only evictd's end is non-blocking: programs do not expect that a write to stdout may fail.
  if (::fcntl(reads.get(), F_SETFL, O_NONBLOCK) != 0) {
    return fail_errno(errno, "set up the pipe for " + options.argv.front());
  }
  const Result<pid_t> pid = spawn_ordinary(options.argv, writes.get());
  writes.reset();
  if (!pid) {
    return Failure(pid.error());
  }
  CommandEnd end;
  const base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  if (pidfd) {
    await(pidfd.get(), std::move(reads), options, end);
  }
  const int failure = pidfd ? 0 : errno;
  // Not reaped yet, so that its group id cannot be reused.
  static_cast<void>(sys::signal_group(*pid, SIGKILL));
  while (::waitpid(*pid, &end.status, 0) < 0 && errno == EINTR) {
  }
  if (failure != 0) {
    return fail_errno(failure, "watch " + options.argv.front());
  }
  return end;
}

}  // namespace evictd::enforce
