// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cluster/pod_table.h"
#include "daemon/hot/hot_files.h"
#include "enforce/kill_target.h"
#include "engine/pod_view.h"
#include "engine/remains.h"
#include "evictd/cgroup_id.h"
#include "eviction/pod_facts.h"

namespace evictd::daemon {

/// Maximum number of pods on a node; sizes rows, readings and messages at start. Twice what scale
/// tests use, 30 times the kubelet's default of 110.
inline constexpr std::uint32_t kMaxPods = engine::kMaxPods;

/// The slot of the pod root itself in the kernel side's table; pods have higher slots.
inline constexpr std::uint32_t kPodRootSlot = 0;

/// One pod for the hot thread: everything opened, parsed and decided in advance. Housekeeping
/// creates it. The hot thread owns it from its arrival until it returns it to be destroyed. A
/// change creates a new one for the same slot.
struct alignas(64) HotPod {
  // What every pass reads, up to and including `facts`: in two cache lines. A pod that grows pushes
  // them out of the caches.
  std::uint32_t slot = 0;
  cluster::PodState state = cluster::PodState::kUnknown;
  /// The protection by its sources and its place; protection_now() is the reported one.
  enforce::Protection protection = enforce::Protection::kUnknown;
  /// False for a cgroup outside Kubernetes.
  bool below_pod_root = true;
  CgroupId memory_id;
  /// nullptr if the cgroup was removed while it was being opened.
  std::unique_ptr<enforce::KillTarget> target;
  eviction::PodFacts facts;

  HotFiles files;
  /// For a pod found without processes: what it held then and since.
  engine::Remains remains = engine::Remains::without_tasks();
  /// metadata.uid, namespace and name; for records and for ordering, never parsed here.
  std::string uid;
  std::string ns;
  std::string name;
  /// For recordings only, as of the creation of this object.
  std::map<std::string, std::string, std::less<>> labels;
  /// Orders pods: creation in seconds since the epoch (0: unknown), then the memory cgroup's id.
  std::int64_t created_at_s = 0;

  /// `protection`, or kOwnProcess if only `target` has found that. Any thread.
  [[nodiscard]] enforce::Protection protection_now() const {
    return protection != enforce::Protection::kNone || target == nullptr ? protection
                                                                         : target->protection();
  }
};

/// A change in the hot thread's pods; changes are sent in order.
struct PodUpdate {
  std::uint32_t slot = 0;
  /// The pod in the slot from now on; nullptr empties the slot.
  std::unique_ptr<HotPod> pod;
};

}  // namespace evictd::daemon
