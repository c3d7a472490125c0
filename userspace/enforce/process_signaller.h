// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/fd.h"
#include "core/clock.h"
#include "enforce/actuator.h"
#include "enforce/eviction_table.h"
#include "enforce/process_lister.h"
#include "enforce/release_watch.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// Signals the processes of a pod one by one, each through a pidfd. The pod must still list the
/// process after its pidfd was opened, so that a reused pid is never signalled.
/// Memory of fixed size. Thread rule: as its actuator.
class ProcessSignaller {
 public:
  struct Options {
    /// Borrowed; stamps the signals.
    const core::Clock* clock = nullptr;
    /// Most pidfds open at a time; the first batch is smaller.
    std::size_t batch = 0;
    /// Most processes listed at a time.
    std::size_t max_processes = 0;
  };

  /// `counters` and `watch` are borrowed. `watch` watches every signalled process.
  ProcessSignaller(const Options& options, ActuatorCounters& counters, ReleaseWatch& watch);

  /// Lists the processes of `target` in `scope`; the other calls use this list.
  const ProcessList& list(KillTarget& target, ListScope scope);

  [[nodiscard]] const ProcessList& listed() const { return listed_; }

  /// Opens pidfds of the first processes of `target` ahead of its signal. Uses up one reading, so
  /// only for an unused() target; opens no file. None of a pod with evictd or pid 1.
  void foresee(KillTarget& target);
  /// Sends `report.signal` to the foreseen processes that the pod still lists, if `target` is the
  /// foreseen one. False if no process was signalled. Forgets the foreseen processes.
  bool signal_foreseen(KillTarget& target, SignalReport& report);
  void forget_foreseen();
  /// nullptr without foreseen processes.
  [[nodiscard]] const KillTarget* foreseen_target() const {
    return foreseen_.empty() ? nullptr : foreseen_target_.get();
  }
  /// Copies the foreseen processes to `out`, as far as it has room. Returns their number.
  [[nodiscard]] std::size_t foreseen(std::span<pid_t> out) const;
  /// Sends the null signal of kill(2) to one foreseen process.
  void practise();

  /// Whether to limit the pod's tasks to their current number from the next signal on. Not before:
  /// the pod should not see a refused fork without a signal. That signal goes to the process that
  /// forked the others.
  void hold_tasks_with_next_signal(bool hold) {
    hold_tasks_ = hold;
    eldest_ = 0;
  }

  /// Sends `report.signal` once to each listed process.
  void signal_listed(KillTarget& target, SignalReport& report);
  /// Lists once more, and signals all other processes in any of the pod's cgroups.
  void signal_others(KillTarget& target, SignalReport& report);
  /// The same, repeated until there is no other process.
  /// False if it had to stop before: there may be more.
  bool signal_rest(KillTarget& target, SignalReport& report);
  /// Whether there are listed processes, and all began after `moment`. Precision: 1/100 s, in doubt
  /// before. Opens a file for each, up to the first one from before.
  [[nodiscard]] bool all_began_after(MonoTime moment) const;
  /// Watches the listed processes without signalling them. `slot` as in Ticket.
  void watch_listed(std::uint32_t slot);

 private:
  struct Opened {
    pid_t pid = 0;
    base::Fd pidfd;
    bool signalled = false;
  };

  enum class Round { kSomebody, kNobody, kUnseen, kProtected };

  [[nodiscard]] Round signal_round(KillTarget& target, SignalReport& report);
  /// Opens at most `most` pidfds of the listed processes from index `from` on. Returns the index
  /// where it stopped.
  [[nodiscard]] std::size_t open_batch(std::size_t from, std::size_t most, SignalReport& report);
  void signal_batch(KillTarget& target, SignalReport& report);
  void watch_signalled(std::uint32_t slot);
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
  /// The process that was put first into a batch; 0 for none.
  pid_t eldest_ = 0;
};

}  // namespace evictd::enforce
