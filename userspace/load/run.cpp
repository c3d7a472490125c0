// SPDX-License-Identifier: Apache-2.0
#include "load/run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "evictd/try.h"

namespace evictd::load {

namespace {

/// A shorter sleep costs more than it waits.
constexpr std::uint64_t kShortestSleepNs = 50'000;

/// Pause between attempts at what is not possible now, such as a fork at the limit.
constexpr std::uint64_t kRetryNs = 200'000;

void sleep_until(std::uint64_t moment_ns) {
  const timespec moment{.tv_sec = static_cast<time_t>(moment_ns / 1'000'000'000U),
                        .tv_nsec = static_cast<long>(moment_ns % 1'000'000'000U)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr) == EINTR) {
  }
}

[[noreturn]] void hold() {
  while (true) {
    ::pause();
  }
}

Result<> enter(const std::string& directory) {
  const std::string path = directory + "/cgroup.procs";
  const base::Fd procs(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!procs || ::write(procs.get(), "0", 1) != 1) {
    return fail_errno(errno, "enter the cgroup " + directory);
  }
  return {};
}

sigset_t set_of(int signal) {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, signal);
  return signals;
}

sigset_t start_signal() {
  return set_of(SIGUSR1);
}

/// Whether an ignored SIGTERM is pending.
bool has_pending_sigterm() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGTERM) == 1;
}

/// From here on a SIGUSR1 stays pending for wait_for_start() instead of killing the process.
void block_start_signal() {
  const sigset_t signals = start_signal();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

void wait_for_start(const RunOptions& options) {
  switch (options.start_on) {
    case StartOn::kNow:
      break;
    case StartOn::kSignal: {
      const sigset_t signals = start_signal();
      while (::sigwaitinfo(&signals, nullptr) < 0 && errno == EINTR) {
      }
      break;
    }
    case StartOn::kStdin: {
      char c = 0;
      while (::read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
      }
      break;
    }
  }
  if (options.start_at_ns > now_ns()) {
    sleep_until(options.start_at_ns);
  }
}

Result<StampWriter> enter_stage(const RunOptions& options) {
  if (options.ignore_term) {
    // Blocked, so that a pending one can be detected.
    const sigset_t term = set_of(SIGTERM);
    ::sigprocmask(SIG_BLOCK, &term, nullptr);
  }
  block_start_signal();
  // Before it enters the cgroups, so that the log is not charged to the pod.
  EVICTD_ASSIGN_OR_RETURN(StampWriter stamps, StampWriter::create(options.stamps));
  for (const std::string& cgroup : options.cgroups) {
    EVICTD_TRY(enter(cgroup));
  }
  return stamps;
}

Result<> park(Work& work, std::uint64_t parked, std::uint64_t batch) {
  for (std::uint64_t total = 0; total < parked;) {
    EVICTD_ASSIGN_OR_RETURN(const std::uint64_t done, work.add(std::min(batch, parked - total)));
    total += done;
  }
  return {};
}

}  // namespace

Result<> run(const RunOptions& options, Work& work, std::uint64_t parked) {
  EVICTD_ASSIGN_OR_RETURN(StampWriter stamps, enter_stage(options));
  const std::uint64_t batch = options.stamps.batch;
  Result<> ready = work.prepare();
  if (ready) {
    ready = park(work, parked, batch);
  }
  if (!ready) {
    return ready;
  }
  stamps.set_state(LoadState::kWaiting);
  wait_for_start(options);
  stamps.set_state(LoadState::kRunning);

  std::uint64_t total = parked;
  const std::uint64_t started_ns = now_ns();
  while (options.cap == 0 || total < options.cap) {
    const std::uint64_t units = options.cap == 0 ? batch : std::min(batch, options.cap - total);
    const std::uint64_t start_ns = now_ns();
    const Result<std::uint64_t> done = work.add(units);
    const std::uint64_t end_ns = now_ns();
    if (!done) {
      return Failure(done.error());
    }
    if (*done == 0) {
      stamps.add_refused();
      if (options.ignore_term && !has_pending_sigterm()) {
        stamps.add_refused_untold();
      }
      sleep_until(end_ns + kRetryNs);
      continue;
    }
    total += *done;
    stamps.add(start_ns, end_ns, total);
    if (options.rate > 0) {
      const double seconds =
          static_cast<double>(total - parked) / static_cast<double>(options.rate);
      const std::uint64_t due_ns = started_ns + static_cast<std::uint64_t>(seconds * 1e9);
      if (due_ns > end_ns + kShortestSleepNs) {
        sleep_until(due_ns);
      }
    }
  }
  stamps.set_state(LoadState::kHolding);
  hold();
}

Result<> run_without_units(const RunOptions& options, void (*body)()) {
  EVICTD_ASSIGN_OR_RETURN(StampWriter stamps, enter_stage(options));
  stamps.set_state(LoadState::kWaiting);
  wait_for_start(options);
  stamps.set_state(body == nullptr ? LoadState::kHolding : LoadState::kRunning);
  if (body != nullptr) {
    body();
  }
  hold();
}

}  // namespace evictd::load
