// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/pods/pod_registry.h"
#include "evictd/time.h"
#include "poll/cross_check.h"
#include "probe/probe.h"
#include "sys/cgroup_files.h"
#include "sys/kept_file.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Compares the kernel side's rows with the cgroup files, and its node readings with /proc/meminfo
/// and the root cgroup's files, at the polling interval. So evictd finds a wrong number before it
/// leads to a wrong kill. Thread rule: housekeeping only.
class CrossChecker {
 public:
  struct Counters {
    std::uint64_t checks = 0;
    std::uint64_t disagreements = 0;
  };

  /// A row that does not match its cgroup.
  struct Disagreement {
    /// Unset for the node, which has no slot.
    std::optional<std::uint32_t> slot;
    std::string text;
  };

  explicit CrossChecker(probe::Probe& probe);

  /// Compares every pod that has a row, the pod root, and the node. Returns one entry for each
  /// value that exceeds its bound in two checks in a row. A single check can be wrong, because the
  /// kernel moves pages between its lists without charging. A row that has memory while its files
  /// are gone is returned by the same rule. Cost: some 25 us a pod, and 50 us for the node.
  [[nodiscard]] std::vector<Disagreement> check(const PodRegistry& registry, MonoTime now);
  /// Opens the pod root's files again at the next check: they vanished with their controller.
  void reopen_pod_root() { pod_root_files_.reset(); }

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// The allowed differences, as of the last check.
  [[nodiscard]] const poll::ErrorBounds& bounds() const { return bounds_; }

 private:
  /// The quantity, and a text.
  using Apart = std::pair<std::string_view, std::string>;

  /// A cgroup with a row of the kernel side and files.
  struct Cgroup {
    /// "pod UID" or "the pod root".
    std::string name;
    /// Empty for the pod root.
    std::string uid;
    std::uint32_t slot = 0;
    poll::ErrorBounds bounds;
    /// The row before and after the files were read, and the files.
    poll::CrossReadings readings;
    sys::ReadState files_state = sys::ReadState::kFailed;

    /// Empty if the files could not be read.
    [[nodiscard]] std::vector<Apart> apart() const;
  };

  [[nodiscard]] std::vector<Cgroup> cgroups(const PodRegistry& registry);
  /// Returns the cgroups that disagree when all are read between two refreshes. Usage may have gone
  /// up and down meanwhile, so the caller reads each of them again by itself. A refresh reads all
  /// rows, so one refresh around each pod would cost the square of their number.
  [[nodiscard]] std::vector<Cgroup> doubtful(const PodRegistry& registry, MonoTime now);
  /// Reads row, files and row again. Returns false if the kernel side does not answer.
  [[nodiscard]] bool read_one(const PodRegistry& registry, Cgroup& cgroup, MonoTime now);
  /// Opens files for this read: the kept ones belong to the hot thread.
  void read_files(const PodRegistry& registry, Cgroup& cgroup, MonoTime now);
  /// The node's differences; empty if the kernel side reads none of its values.
  [[nodiscard]] std::vector<Apart> node_apart(const PodRegistry& registry, MonoTime now);
  /// The next part of a check: keeps the differences that the last check had too.
  void judge(const std::string& name, std::optional<std::uint32_t> slot,
             const std::vector<Apart>& apart);

  probe::Probe& probe_;
  poll::ErrorBounds bounds_;
  sys::ReadBuffer buffer_{};
  Counters counters_;
  /// This class's own files: the hot thread reads others of the same names.
  std::optional<sys::CgroupFiles> pod_root_files_;
  std::optional<sys::NodeFiles> node_files_;
  /// Disagreements of the last check: the cgroup and the name of the quantity.
  std::set<std::pair<std::string, std::string_view>> suspects_;
  /// Disagreements of the check in progress.
  std::set<std::pair<std::string, std::string_view>> found_;
  std::vector<Disagreement> disagreements_;
};

}  // namespace evictd::daemon
