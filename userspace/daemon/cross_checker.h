// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/pod_registry.h"
#include "evictd/time.h"
#include "poll/cross_check.h"
#include "probe/probe.h"
#include "sys/cgroup_files.h"
#include "sys/kept_file.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Compares the kernel side's rows with the cgroup files, and what it reads of the node with
/// /proc/meminfo and the root cgroup's files, at the polling cadence, so that a wrong number is
/// found out by us and not by a wrong kill.
/// Thread rule: housekeeping only.
class CrossChecker {
 public:
  struct Counters {
    std::uint64_t checks = 0;
    std::uint64_t disagreements = 0;
  };

  /// A row that does not show its cgroup.
  struct Disagreement {
    /// Nothing for the node, which has no slot.
    std::optional<std::uint32_t> slot;
    std::string text;
  };

  explicit CrossChecker(probe::Probe& probe);

  /// Compares every pod that has a row, the cgroup that holds them, and the node. Answers one for
  /// each value that is apart beyond its bound in two checks in a row: pages that the kernel moves
  /// between its lists without charging anything can put one check off. One too, likewise, for a
  /// row that shows memory though the files are gone. Cost: some 25 us a pod, and 50 us for the
  /// node.
  [[nodiscard]] std::vector<Disagreement> check(const PodRegistry& registry, MonoTime now);
  /// The pod root's files are opened anew at the next check: they went with their controller.
  void reopen_pod_root() { pod_root_files_.reset(); }

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// What the two may be apart, as the last check had it.
  [[nodiscard]] const poll::ErrorBounds& bounds() const { return bounds_; }

 private:
  /// What it is of, and in words.
  using Apart = std::pair<std::string_view, std::string>;

  /// A cgroup with a row of the kernel side and files.
  struct Cgroup {
    /// "pod UID" or "the pod root".
    std::string name;
    /// Empty for the pod root.
    std::string uid;
    std::uint32_t slot = 0;
    poll::ErrorBounds bounds;
    /// The row before and after, and the files between.
    poll::CrossReadings readings;
    sys::ReadState files_state = sys::ReadState::kFailed;

    /// Nothing where the files could not be read.
    [[nodiscard]] std::vector<Apart> apart() const;
  };

  [[nodiscard]] std::vector<Cgroup> cgroups(const PodRegistry& registry);
  /// Those that disagree when all are read between two refreshes; one may have gone up and down
  /// again meanwhile, so each is looked at once more by itself. A refresh reads all rows, so one
  /// around each pod would cost the square of their number.
  [[nodiscard]] std::vector<Cgroup> doubtful(const PodRegistry& registry, MonoTime now);
  /// Reads row, files and row again. False without an answer of the kernel side.
  [[nodiscard]] bool read_one(const PodRegistry& registry, Cgroup& cgroup, MonoTime now);
  /// From files of our own, which are opened for it: those that are kept are the hot thread's.
  void read_files(const PodRegistry& registry, Cgroup& cgroup, MonoTime now);
  /// Of the node; nothing where the kernel side reads none of it.
  [[nodiscard]] std::vector<Apart> node_apart(const PodRegistry& registry, MonoTime now);
  /// The next part of a check: of what is apart, those that were so in the last check too.
  void judge(const std::string& name, std::optional<std::uint32_t> slot,
             const std::vector<Apart>& apart);

  probe::Probe& probe_;
  poll::ErrorBounds bounds_;
  sys::ReadBuffer buffer_{};
  Counters counters_;
  /// Of its own: the hot thread reads others of the same names.
  std::optional<sys::CgroupFiles> pod_root_files_;
  std::optional<sys::NodeFiles> node_files_;
  /// What disagreed in the last check: the cgroup and the name of the quantity.
  std::set<std::pair<std::string, std::string_view>> suspects_;
  /// The check in progress.
  std::set<std::pair<std::string, std::string_view>> found_;
  std::vector<Disagreement> disagreements_;
};

}  // namespace evictd::daemon
