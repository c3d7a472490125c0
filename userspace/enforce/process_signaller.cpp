// SPDX-License-Identifier: Apache-2.0
#include "enforce/process_signaller.h"

#include <algorithm>
#include <utility>

#include "enforce/eldest.h"
#include "sys/pidfd.h"
#include "sys/process_start.h"

namespace evictd::enforce {

namespace {

/// Rounds in one call. Two are the rule; only a pod that forks and has no pids.max needs more, and
/// the hot loop must go on.
constexpr int kMostRounds = 16;

/// Processes whose pidfds are opened ahead: those of a usual pod.
constexpr std::size_t kMostForeseen = 64;

/// The first batch is as small, so that the first signal of a fork bomb does not wait for hundreds
/// of pidfds; each later one is this many times larger, since each costs another reading of the
/// pod's processes.
constexpr std::size_t kFirstBatch = 64;
constexpr std::size_t kBatchGrowth = 4;

}  // namespace

ProcessSignaller::ProcessSignaller(const Options& options, ActuatorCounters& counters,
                                   ReleaseWatch& watch)
    : options_(options),
      counters_(counters),
      watch_(watch),
      lister_(counters),
      listed_(options.max_processes),
      verified_(options.max_processes) {
  signalled_.reserve(options.max_processes);
  batch_.reserve(std::max(options.batch, kMostForeseen) + 1);
  foreseen_.reserve(kMostForeseen);
}

const ProcessList& ProcessSignaller::list(KillTarget& target, ListScope scope) {
  scope_ = scope;
  signalled_.clear();
  opened_before_ = counters_.reopened_procs;
  lister_.read(target, scope_, listed_);
  return listed_;
}

void ProcessSignaller::foresee(KillTarget& target) {
  forget_foreseen();
  if (!target.unused() || !target.keeps_procs()) {
    return;
  }
  foreseen_target_ = PinnedTarget(target);
  lister_.read_known(target, ListScope::kFirstHierarchy, listed_);
  if (listed_.holds_protected) {
    forget_foreseen();
    return;
  }
  for (const pid_t pid : listed_.pids) {
    if (foreseen_.size() == kMostForeseen) {
      break;
    }
    if (sys::CallResult<base::Fd> pidfd = sys::open_pidfd(pid)) {
      foreseen_.push_back(Opened{.pid = pid, .pidfd = std::move(*pidfd)});
    }
  }
}

bool ProcessSignaller::signal_foreseen(KillTarget& target, SignalReport& report) {
  if (foreseen_target_.get() == &target && !foreseen_.empty()) {
    scope_ = ListScope::kFirstHierarchy;
    signalled_.clear();
    opened_before_ = counters_.reopened_procs;
    std::swap(batch_, foreseen_);
    signal_batch(target, report);
  }
  forget_foreseen();
  return report.processes != 0;
}

void ProcessSignaller::forget_foreseen() {
  foreseen_.clear();
  foreseen_target_ = PinnedTarget();
}

std::size_t ProcessSignaller::foreseen(std::span<pid_t> out) const {
  const std::size_t count = std::min(out.size(), foreseen_.size());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = foreseen_[i].pid;
  }
  return count;
}

void ProcessSignaller::practise() {
  if (!foreseen_.empty()) {
    static_cast<void>(sys::send_signal(foreseen_.front().pidfd, 0));
  }
}

void ProcessSignaller::signal_listed(KillTarget& target, SignalReport& report) {
  report.walked = report.walked || listed_.walked;
  std::size_t most = kFirstBatch;
  for (std::size_t next = 0; next < listed_.pids.size();) {
    const std::size_t stopped = open_batch(next, std::min(most, options_.batch), report);
    most *= kBatchGrowth;
    if (stopped == next) {
      return;
    }
    next = stopped;
    signal_batch(target, report);
  }
}

ProcessSignaller::Round ProcessSignaller::signal_round(KillTarget& target, SignalReport& report) {
  scope_ = ListScope::kAll;
  lister_.read(target, scope_, listed_);
  if (listed_.holds_protected) {
    return Round::kProtected;
  }
  const bool unseen = listed_.truncated || listed_.unread;
  forget_signalled();
  if (listed_.pids.empty()) {
    return unseen ? Round::kUnseen : Round::kNobody;
  }
  counters_.extra_rounds += report.processes == 0 ? 0 : 1;
  signal_listed(target, report);
  return Round::kSomebody;
}

void ProcessSignaller::signal_others(KillTarget& target, SignalReport& report) {
  static_cast<void>(signal_round(target, report));
}

bool ProcessSignaller::signal_rest(KillTarget& target, SignalReport& report) {
  Round round = Round::kSomebody;
  for (int i = 0; i < kMostRounds && round == Round::kSomebody; ++i) {
    round = signal_round(target, report);
  }
  return round == Round::kNobody || round == Round::kProtected;
}

bool ProcessSignaller::all_began_after(MonoTime moment) const {
  return !listed_.pids.empty() &&
         std::all_of(listed_.pids.begin(), listed_.pids.end(), [moment](pid_t pid) {
           const sys::CallResult<MonoTime> began = sys::process_start(pid);
           if (began) {
             return *began > moment;
           }
           // One that has gone since is not left over. Any other may be.
           return began.error() == std::errc::no_such_file_or_directory ||
                  began.error() == std::errc::no_such_process;
         });
}

void ProcessSignaller::watch_listed(std::uint32_t slot) {
  for (const pid_t pid : listed_.pids) {
    sys::CallResult<base::Fd> pidfd = sys::open_pidfd(pid);
    if (pidfd && !watch_.add_process(slot, std::move(*pidfd))) {
      return;
    }
  }
}

std::size_t ProcessSignaller::open_batch(std::size_t from, std::size_t most, SignalReport& report) {
  batch_.clear();
  std::size_t next = from;
  while (next < listed_.pids.size() && batch_.size() < most) {
    const pid_t pid = listed_.pids[next];
    if (pid == eldest_) {
      ++next;
      continue;
    }
    sys::CallResult<base::Fd> pidfd = sys::open_pidfd(pid);
    if (pidfd) {
      batch_.push_back(Opened{.pid = pid, .pidfd = std::move(*pidfd)});
    } else if (pidfd.error() == std::errc::no_such_process || !sys::may_be_signalled(pid)) {
      ++report.gone;
      ++counters_.gone_processes;
    } else {
      // Out of descriptors: continue with the open ones.
      ++counters_.failed_calls;
      break;
    }
    ++next;
  }
  return next;
}

void ProcessSignaller::put_eldest_first() {
  if (!hold_tasks_ || batch_.empty()) {
    return;
  }
  const pid_t eldest = eldest_of(batch_.front().pid, listed_);
  auto place = std::find_if(batch_.begin(), batch_.end(),
                            [eldest](const Opened& opened) { return opened.pid == eldest; });
  if (place == batch_.end()) {
    sys::CallResult<base::Fd> pidfd = sys::open_pidfd(eldest);
    if (!pidfd) {
      return;
    }
    eldest_ = eldest;
    place = batch_.insert(place, Opened{.pid = eldest, .pidfd = std::move(*pidfd)});
  }
  std::rotate(batch_.begin(), place, std::next(place));
}

void ProcessSignaller::signal_batch(KillTarget& target, SignalReport& report) {
  // Added processes are verified with the others.
  put_eldest_first();
  if (listed_.walked) {
    lister_.read(target, scope_, verified_);
  } else {
    lister_.read_again(target, scope_, verified_);
  }
  if (!verified_.holds_protected) {
    for (Opened& opened : batch_) {
      opened.signalled = verified_.contains(opened.pid) && signal_one(opened, report);
      if (opened.signalled) {
        ++report.processes;
        hold_tasks_of(target);
        if (signalled_.size() < signalled_.capacity()) {
          signalled_.push_back(opened.pid);
        }
      } else {
        ++report.gone;
        ++counters_.gone_processes;
      }
    }
  }
  watch_signalled(report.ticket.slot);
  batch_.clear();
}

/// Afterwards: no signal has to wait for the system calls.
void ProcessSignaller::watch_signalled(std::uint32_t slot) {
  for (Opened& opened : batch_) {
    if (opened.signalled) {
      // Without room to watch it, it is found again after the watched ones have exited.
      watch_.add_process(slot, std::move(opened.pidfd));
    }
  }
}

bool ProcessSignaller::signal_one(Opened& opened, SignalReport& report) {
  if (!sys::may_be_signalled(opened.pid) || opened.pid == listed_.self) {
    return false;
  }
  const sys::CallResult<> sent = sys::send_signal(opened.pidfd, report.signal);
  if (!sent) {
    counters_.failed_calls += sent.error() == std::errc::no_such_process ? 0 : 1;
    return false;
  }
  report.last_at = options_.clock->now();
  if (report.processes == 0) {
    report.first_at = report.last_at;
    report.opened = static_cast<std::uint32_t>(counters_.reopened_procs - opened_before_);
  }
  return true;
}

void ProcessSignaller::hold_tasks_of(KillTarget& target) {
  if (std::exchange(hold_tasks_, false)) {
    ++(target.hold_tasks() ? counters_.tasks_held : counters_.tasks_not_held);
  }
}

void ProcessSignaller::forget_signalled() {
  std::sort(signalled_.begin(), signalled_.end());
  std::erase_if(listed_.pids, [this](pid_t pid) {
    return std::binary_search(signalled_.begin(), signalled_.end(), pid);
  });
}

}  // namespace evictd::enforce
