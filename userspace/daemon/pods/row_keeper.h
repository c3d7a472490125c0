// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/loan.h"
#include "base/log.h"
#include "daemon/health/cross_checker.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/shared/messages.h"
#include "evictd/time.h"
#include "probe/probe.h"
#include "sys/cgroup_files.h"
#include "sys/kept_file.h"

namespace evictd::daemon {

/// Ensures that a cgroup's row, thresholds and kept files still refer to its current counters. On
/// cgroup v2 a controller can be removed from a cgroup that stays, and come back with other
/// counters and other files. The kernel reports neither. Thread rule: housekeeping only.
class RowKeeper {
 public:
  struct Options {
    // Borrowed; probe is nullptr without BPF.
    probe::Probe* probe = nullptr;
    PodRegistry* registry = nullptr;
    base::Log* log = nullptr;
    base::Lender* loans = nullptr;
    /// To the hot thread.
    std::function<void(ToHot&&)> send;
    std::function<void(std::vector<PodUpdate>)> send_updates;
    /// Gives all thresholds to the kernel side again, which finds their counters again.
    std::function<void()> watch_thresholds;
    /// Called with one disagreement of each check that found any.
    std::function<void(const std::string&)> on_disagreement;
  };

  explicit RowKeeper(Options options);

  /// If the kernel side has emptied rows or thresholds since the last call, finds their counters
  /// again. Retries at growing intervals (up to 16 calls) until all are back. Call it about once a
  /// second. Cost at rest: a few loads.
  void find_lost_rows();
  /// The pod root changed, came or went: opens its files again, watches its thresholds on the
  /// current pod root, and checks for missing rows at the next call.
  void follow_pod_root();
  /// Runs at the polling interval: compares rows with files, logs the differences, and finds the
  /// counters of those again. Without BPF, opens the files again that vanished with their
  /// controller.
  void check(MonoTime now);

  /// nullptr without BPF.
  [[nodiscard]] const CrossChecker* cross_checker() const {
    return cross_checker_ ? &*cross_checker_ : nullptr;
  }

 private:
  enum class Extent : std::uint8_t { kPods, kPodRootToo };

  /// Finds the counters of everything queued again. Returns whether any could be found.
  bool renew(Extent extent);
  void reopen_pod_root();
  void find_lost_files();
  /// Whether a pod now has files that the hot thread does not have.
  [[nodiscard]] bool lacks_files(const PodRegistry::Listed& listed) const;
  /// If a NUMA node can no longer be read, reports that and polls memory.available until all can
  /// be.
  void check_nodes();
  [[nodiscard]] bool are_gone(const sys::CgroupFiles& files);
  /// Gives the hot thread new files of the pod root, if there are any.
  void hand_over_pod_root_files();

  Options options_;
  std::optional<CrossChecker> cross_checker_;
  /// The kernel side can no longer read every NUMA node; this was reported.
  bool node_is_lost_ = false;
  sys::ReadBuffer buffer_{};
  /// Without BPF: this class's own files of the pod root.
  std::optional<sys::CgroupFiles> pod_root_files_;
  /// Rows and thresholds that the kernel side had emptied at the last read.
  std::uint64_t emptied_ = 0;
  /// Calls between two retries while something is missing, and the calls left.
  int calls_a_look_ = 1;
  int calls_left_ = 1;
  /// Counts as true before the first check.
  bool lacking_ = true;
};

}  // namespace evictd::daemon
