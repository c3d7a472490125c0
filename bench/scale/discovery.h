// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// The descriptors that another process opens from now on, seen from outside.
/// Source: /proc/PID/fd. Only the lowest free numbers are looked at, which the kernel assigns
/// first, because a process that knows thousands of pods has ten thousands open.
class NewDescriptors {
 public:
  explicit NewDescriptors(pid_t pid);

  /// Whether one of them is open on a path that contains `part`. Cost: a readlink(2) for each
  /// number, some hundred microseconds.
  [[nodiscard]] bool lead_to(std::string_view part) const;

 private:
  pid_t pid_;
  std::vector<int> numbers_;
};

/// Adds a pod, waits until the running evictd `daemon` has opened a file of it, which it does once
/// it knows the pod, and removes it. Returns the time from before its first cgroup was made.
/// Errors: kTimedOut after ten seconds; kBusy when interrupted; those of making and removing
/// cgroups.
[[nodiscard]] Result<Duration> discover_pod(stage::PrivateTree& tree, pid_t daemon);

}  // namespace evictd::bench
