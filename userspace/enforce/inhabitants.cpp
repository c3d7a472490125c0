// SPDX-License-Identifier: Apache-2.0
#include "enforce/inhabitants.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/read_up_to.h"
#include "enforce/process_lister.h"

namespace evictd::enforce {

namespace {

/// The most processes that are looked at; as many as the actuator lists at a time.
constexpr std::size_t kMostProcesses = 16384;

/// PF_EXITING of include/linux/sched.h: the task is in do_exit().
constexpr unsigned long kExiting = 0x4;

/// Places in /proc/PID/stat after the name in parentheses, the state being the first.
/// Source: Documentation/filesystems/proc.rst, table 1-4.
constexpr std::size_t kFlags = 6;
constexpr std::size_t kThreads = 17;
constexpr std::size_t kStartTime = 19;
constexpr std::size_t kPendingSignals = 28;

/// Several times what the line can have.
constexpr std::size_t kMostText = 4096;

struct Process {
  bool dying = false;
  MonoTime started{};
};

/// How far the clock that counts suspension is ahead of the one that does not.
Duration suspended_so_far() {
  const auto read = [](clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return Duration(std::chrono::seconds(now.tv_sec)) + std::chrono::nanoseconds(now.tv_nsec);
  };
  return read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC);
}

unsigned long number(const std::string& text) {
  return std::strtoul(text.c_str(), nullptr, 10);
}

std::optional<Process> read_process(pid_t pid, Duration suspended) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string text =
      file ? base::read_up_to(file.get(), kMostText, path).value_or(std::string()) : std::string();
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;  // It is gone.
  }
  std::istringstream words(text.substr(name_end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
  if (fields.size() <= kPendingSignals) {
    return std::nullopt;
  }
  // The first thread may end long before the others.
  const bool exiting = (number(fields[kFlags]) & kExiting) != 0 && number(fields[kThreads]) <= 1;
  const unsigned long pending = number(fields[kPendingSignals]);
  const auto ticks = static_cast<std::int64_t>(number(fields[kStartTime]));
  const auto tick = Duration(std::chrono::seconds(1)) / ::sysconf(_SC_CLK_TCK);
  return Process{.dying = exiting || (pending & (1UL << (SIGKILL - 1))) != 0,
                 .started = MonoTime(ticks * tick - suspended)};
}

}  // namespace

Inhabitants look_at_inhabitants(const KillTarget& target) {
  ProcessList list(kMostProcesses);
  list_anew(target, list);
  const Duration suspended = suspended_so_far();
  Inhabitants seen;
  for (const pid_t pid : list.pids) {
    const std::optional<Process> process = read_process(pid, suspended);
    if (!process) {
      continue;
    }
    seen.oldest = seen.processes == 0 ? process->started : std::min(seen.oldest, process->started);
    ++seen.processes;
    seen.dying += process->dying ? 1 : 0;
  }
  return seen;
}

}  // namespace evictd::enforce
