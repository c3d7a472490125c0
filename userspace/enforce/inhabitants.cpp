// SPDX-License-Identifier: Apache-2.0
#include "enforce/inhabitants.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/read_up_to.h"
#include "enforce/process_lister.h"
#include "sys/mount_table.h"

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

/// 0 for what is none: the kernel writes numbers only.
unsigned long number(std::string_view text) {
  unsigned long value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
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
  const std::vector<std::string_view> fields =
      sys::split(std::string_view(text).substr(name_end + 1), ' ');
  if (fields.size() <= kPendingSignals) {
    return std::nullopt;
  }
  // The first thread may exit long before the others.
  const bool exiting = (number(fields[kFlags]) & kExiting) != 0 && number(fields[kThreads]) <= 1;
  const unsigned long pending = number(fields[kPendingSignals]);
  const auto ticks = static_cast<std::int64_t>(number(fields[kStartTime]));
  const auto tick = Duration(std::chrono::seconds(1)) / ::sysconf(_SC_CLK_TCK);
  return Process{.dying = exiting || (pending & (1UL << (SIGKILL - 1))) != 0,
                 .started = MonoTime(ticks * tick - suspended)};
}

/// Looks at those that came to a list since it was last asked.
class LivingSearch {
 public:
  explicit LivingSearch(const ProcessList& list) : list_(list) {}

  bool found() {
    for (; next_ < list_.pids.size(); ++next_) {
      // The start time is not needed.
      const std::optional<Process> process = read_process(list_.pids[next_], Duration{});
      if (process && !process->dying) {
        return true;
      }
    }
    return false;
  }

 private:
  const ProcessList& list_;
  std::size_t next_ = 0;
};

}  // namespace

Inhabitants look_at_inhabitants(const KillTarget& target, InhabitantsLook look) {
  ProcessList list(kMostProcesses);
  LivingSearch living(list);
  if (!list_again(target, list,
                  [&] { return look == InhabitantsLook::kUntilOneLives && living.found(); })) {
    Inhabitants one;
    one.processes = 1;
    return one;
  }
  const Duration suspended = suspended_so_far();
  Inhabitants seen;
  seen.unread = list.unread;
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
