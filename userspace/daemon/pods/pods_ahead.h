// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cluster/pod_cgroup.h"
#include "cluster/pod_table.h"
#include "daemon/pods/pod_opener.h"
#include "evictd/result.h"
#include "probe/watch.h"

namespace evictd::daemon {

/// Pods that were opened while the kernel side was loading. The next scan takes over the unchanged
/// ones. Thread rule: one thread at a time.
class PodsAhead {
 public:
  /// An opened pod, and its counters if the kernel side was asked.
  struct Ready {
    PodOpener::Opened opened;
    std::optional<Result<probe::PodCounters>> counters{};
  };
  using Resolve = std::function<Result<probe::PodCounters>(const cluster::PodCgroup&)>;

  /// Stores `wanted`, opened as `opened`.
  void add(const PodOpener::Wanted& wanted, PodOpener::Opened opened);
  /// Calls `resolve` for every pod.
  void resolve_all(const Resolve& resolve);
  /// Returns the pod of `wanted`, with the slot of `wanted`, if its cgroups, state and description
  /// are unchanged since it was opened. The caller checks nested cgroups.
  [[nodiscard]] std::optional<Ready> take(const PodOpener::Wanted& wanted);

  [[nodiscard]] bool empty() const { return pods_.empty(); }
  void clear() { pods_.clear(); }

 private:
  struct Pod {
    cluster::PodCgroup cgroup;
    cluster::PodState state = cluster::PodState::kUnknown;
    PodStanding standing;
    Ready ready;
  };

  /// By uid.
  std::map<std::string, Pod, std::less<>> pods_;
};

}  // namespace evictd::daemon
