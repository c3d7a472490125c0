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

  explicit CrossChecker(probe::Probe& probe);

  /// Compares every pod that has a row, and the cgroup that holds them. Answers one line for each
  /// value that is apart beyond its bound in two checks in a row: pages that the kernel moves
  /// between its lists without charging anything can put one check off. Cost: 8 us a pod.
  [[nodiscard]] std::vector<std::string> check(const PodRegistry& registry, MonoTime now);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// What the two may be apart, as the last check had it.
  [[nodiscard]] const poll::ErrorBounds& bounds() const { return bounds_; }

 private:
  /// A cgroup with a row of the kernel side and files.
  struct Cgroup {
    /// "pod UID" or "the pod root".
    std::string name;
    std::uint32_t slot = 0;
    /// Borrowed.
    const sys::CgroupFiles* files = nullptr;
    poll::ErrorBounds bounds;
    /// The row before and after, and the files between.
    poll::CrossReadings readings;
  };

  [[nodiscard]] std::vector<Cgroup> cgroups(const PodRegistry& registry);
  /// Those that disagree when all are read between two refreshes; one may have gone up and down
  /// again meanwhile, so each is looked at once more by itself. A refresh reads all rows, so one
  /// around each pod would cost the square of their number.
  [[nodiscard]] std::vector<Cgroup> doubtful(const PodRegistry& registry, MonoTime now);
  /// Nothing when the cgroup vanished meanwhile.
  [[nodiscard]] std::optional<poll::CrossCheck> check_one(Cgroup& cgroup, MonoTime now);

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
