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

namespace evictd::daemon {

/// Compares the kernel side's rows with the cgroup files at the polling cadence, so that a wrong
/// number is found out by us and not by a wrong kill.
/// Thread rule: housekeeping only.
class CrossChecker {
 public:
  struct Counters {
    std::uint64_t checks = 0;
    std::uint64_t disagreements = 0;
  };

  /// A row that does not show its cgroup.
  struct Disagreement {
    std::uint32_t slot = 0;
    std::string text;
  };

  explicit CrossChecker(probe::Probe& probe);

  /// Compares every pod that has a row, and the cgroup that holds them. Answers one for each value
  /// that is apart beyond its bound in two checks in a row: pages that the kernel moves between its
  /// lists without charging anything can put one check off. One too, likewise, for a row that shows
  /// memory though the files are gone. Cost: some
  /// 25 us a pod.
  [[nodiscard]] std::vector<Disagreement> check(const PodRegistry& registry, MonoTime now);
  /// The pod root's files are opened anew at the next check: they went with their controller.
  void reopen_pod_root() { pod_root_files_.reset(); }

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// What the two may be apart, as the last check had it.
  [[nodiscard]] const poll::ErrorBounds& bounds() const { return bounds_; }

 private:
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

    /// What is apart, in words, by what it is called; nothing where the files could not be read.
    [[nodiscard]] std::vector<std::pair<std::string_view, std::string>> apart() const;
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

  probe::Probe& probe_;
  poll::ErrorBounds bounds_;
  sys::ReadBuffer buffer_{};
  Counters counters_;
  /// Of its own: the hot thread reads others of the same names.
  std::optional<sys::CgroupFiles> pod_root_files_;
  /// What disagreed in the last check: the cgroup and the name of the quantity.
  std::set<std::pair<std::string, std::string_view>> suspects_;
};

}  // namespace evictd::daemon
