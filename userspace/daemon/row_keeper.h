// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "daemon/cross_checker.h"
#include "daemon/messages.h"
#include "daemon/pod_registry.h"
#include "evictd/time.h"
#include "probe/probe.h"
#include "sys/cgroup_files.h"
#include "sys/kept_file.h"

namespace evictd::daemon {

/// Sees to it that what is read of a cgroup, row, thresholds and kept files, is still of the
/// counters that it has. On cgroup v2 a controller can be taken from a cgroup that stays, and be
/// given back with other counters and other files, of which the kernel tells nobody.
/// Thread rule: housekeeping only.
class RowKeeper {
 public:
  struct Options {
    // Borrowed; probe is nullptr without BPF.
    probe::Probe* probe = nullptr;
    PodRegistry* registry = nullptr;
    base::Log* log = nullptr;
    /// To the hot thread.
    std::function<void(ToHot&&)> send;
    std::function<void(std::vector<PodUpdate>)> send_updates;
    /// Gives the kernel side all thresholds again: their counters are asked for anew with them.
    std::function<void()> watch_thresholds;
    /// Told of one disagreement of each check that found any.
    std::function<void(const std::string&)> on_disagreement;
  };

  explicit RowKeeper(Options options);

  /// Where the kernel side has emptied rows or thresholds since the last call: asks anew for the
  /// counters of whoever lacks some, again and again, the longer the less often (16 calls), until
  /// they are back. To be called about each second. Cost at rest: a few loads.
  void look_for_lost_rows();
  /// The pod root is another one than before, came or went: what is read of it is opened anew, its
  /// thresholds are watched on the one that is there, and the next look is for what it lacks still.
  void follow_pod_root();
  /// At the polling cadence: compares rows with files, logs what is apart, and has the counters of
  /// that found anew too. Without BPF: opens those files anew that went with their controller.
  void check(MonoTime now);

  /// nullptr without BPF.
  [[nodiscard]] const CrossChecker* cross_checker() const {
    return cross_checker_ ? &*cross_checker_ : nullptr;
  }

 private:
  enum class Extent : std::uint8_t { kPods, kPodRootToo };

  /// Has everything that was noted found anew. Answers whether there was any that could be.
  bool renew(Extent extent);
  void open_pod_root_anew();
  void look_for_lost_files();
  /// Whether a pod has files by now that the hot thread does not have.
  [[nodiscard]] bool lacks_files(const PodRegistry::Listed& listed) const;
  /// Where one of the NUMA nodes cannot be reached any more, this is told and memory.available is
  /// polled, until all can be.
  void find_nodes_anew();
  [[nodiscard]] bool are_gone(const sys::CgroupFiles& files);
  /// The hot thread gets other files of the pod root, if there are any.
  void hand_over_pod_root_files();

  Options options_;
  std::optional<CrossChecker> cross_checker_;
  /// The kernel side cannot reach every NUMA node any more, which was told.
  bool node_is_lost_ = false;
  sys::ReadBuffer buffer_{};
  /// Without BPF: of the pod root, and of our own.
  std::optional<sys::CgroupFiles> pod_root_files_;
  /// Rows and thresholds that the kernel side had emptied at the last look.
  std::uint64_t emptied_ = 0;
  /// Calls from one look to the next while something is lacking, and those that are left.
  int calls_a_look_ = 1;
  int calls_left_ = 1;
  /// Not known to be false before the first look.
  bool lacking_ = true;
};

}  // namespace evictd::daemon
