// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/fd.h"
#include "core/clock.h"
#include "enforce/actuator.h"
#include "enforce/eviction_table.h"
#include "enforce/process_lister.h"
#include "enforce/release_watch.h"

namespace evictd::enforce {

/// Signals processes of a pod one by one, each through a pidfd and only if it is still listed in
/// the pod after that pidfd was opened, so that a number given to another process cannot be hit.
/// Memory of fixed size. Thread rule: that of the actuator that owns it.
class ProcessSignaller {
 public:
  struct Options {
    /// Borrowed; stamps the signals.
    const core::Clock* clock = nullptr;
    /// Most pidfds open at a time; the first time there are fewer.
    std::size_t batch = 0;
    /// Processes listed at a time.
    std::size_t max_processes = 0;
  };

  /// `counters` and `watch` are borrowed; every process that is signalled is also watched.
  ProcessSignaller(const Options& options, ActuatorCounters& counters, ReleaseWatch& watch);

  /// Lists the processes of `target` in `scope`; the answer is what the other calls work on.
  const ProcessList& list(KillTarget& target, ListScope scope);

  [[nodiscard]] const ProcessList& listed() const { return listed_; }

  /// Opens pidfds of the first processes of `target`, so that they are at hand when it is to be
  /// signalled. Uses up one reading of it, so only if it is unused(); opens no file.
  void foresee(KillTarget& target);
  /// Sends `report.signal` to those of them that are listed in the pod still, if it was `target`
  /// that was foreseen. False when nobody was signalled. What was foreseen is forgotten.
  bool signal_foreseen(KillTarget& target, SignalReport& report);
  void forget_foreseen();
  /// nullptr while nobody of anybody is.
  [[nodiscard]] const KillTarget* foreseen_target() const {
    return foreseen_.empty() ? nullptr : foreseen_target_.get();
  }
  /// The null signal of kill(2) to one of them.
  void practise();

  /// Whether the pod is to get no more tasks than it has, from the next signal on. Not before it:
  /// it is not to see a fork refused that it was not told of, so that signal is for whoever forked
  /// the others.
  void hold_tasks_with_next_signal(bool hold) {
    hold_tasks_ = hold;
    eldest_ = 0;
  }

  /// Sends `report.signal` to what is listed, once.
  void signal_listed(KillTarget& target, SignalReport& report);
  /// Lists again, once, and sends it to whoever else is in any of the pod's cgroups.
  void signal_others(KillTarget& target, SignalReport& report);
  /// The same, listing again until that is nobody.
  /// False when it had to stop before: there may be more.
  bool signal_rest(KillTarget& target, SignalReport& report);
  /// Watches what is listed without signalling it. `slot` as in Ticket.
  void watch_listed(std::uint32_t slot);

 private:
  struct Opened {
    pid_t pid = 0;
    base::Fd pidfd;
  };

  enum class Round { kSomebody, kNobody, kUnseen, kProtected };

  [[nodiscard]] Round signal_round(KillTarget& target, SignalReport& report);
  /// Opens at most `most` pidfds of what is listed from index `from` on; answers where it stopped.
  [[nodiscard]] std::size_t open_batch(std::size_t from, std::size_t most, SignalReport& report);
  void signal_batch(KillTarget& target, SignalReport& report);
  void put_eldest_first();
  [[nodiscard]] bool signal_one(Opened& opened, SignalReport& report);
  void forget_signalled();
  void hold_tasks_of(KillTarget& target);

  Options options_;
  ActuatorCounters& counters_;
  ReleaseWatch& watch_;
  ProcessLister lister_;
  ListScope scope_ = ListScope::kAll;
  /// counters_.reopened_procs before list().
  std::uint64_t opened_before_ = 0;
  ProcessList listed_;
  ProcessList verified_;
  std::vector<pid_t> signalled_;
  std::vector<Opened> batch_;
  PinnedTarget foreseen_target_;
  std::vector<Opened> foreseen_;
  bool hold_tasks_ = false;
  /// Was put into a batch before its turn; 0 is nobody.
  pid_t eldest_ = 0;
};

}  // namespace evictd::enforce
