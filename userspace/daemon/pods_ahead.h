// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cluster/pod_cgroup.h"
#include "cluster/pod_table.h"
#include "daemon/pod_opener.h"
#include "evictd/result.h"
#include "probe/watch.h"

namespace evictd::daemon {

/// Pods that were opened while the kernel side was being loaded, for the scan after that to take
/// over where they are the same still.
/// Thread rule: one thread at a time.
class PodsAhead {
 public:
  /// An opened pod, and what the kernel side has told of its counters, if it was asked.
  struct Ready {
    PodOpener::Opened opened;
    std::optional<Result<probe::PodCounters>> counters{};
  };
  using Resolve = std::function<Result<probe::PodCounters>(const cluster::PodCgroup&)>;

  /// `wanted` was opened as `opened`.
  void add(const PodOpener::Wanted& wanted, PodOpener::Opened opened);
  /// Asks `resolve` about every pod.
  void resolve_all(const Resolve& resolve);
  /// What there is of `wanted`, if its cgroups, its state and what is said of it are as they were
  /// when it was opened; of what is deep in it the caller knows. It has the slot of `wanted`.
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
