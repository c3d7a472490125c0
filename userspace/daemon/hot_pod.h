// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cluster/pod_table.h"
#include "daemon/hot_files.h"
#include "enforce/kill_target.h"
#include "engine/pod_view.h"
#include "engine/remains.h"
#include "evictd/cgroup_id.h"
#include "eviction/pod_facts.h"

namespace evictd::daemon {

/// The most pods that a node may have; rows, readings and messages are sized by it at start. Twice
/// what scale tests run with, 30 times the kubelet's default of 110.
inline constexpr std::uint32_t kMaxPods = engine::kMaxPods;

/// The slot of the pod root itself in the kernel side's table; pods have those above it.
inline constexpr std::uint32_t kPodRootSlot = 0;

/// One pod as the hot thread knows it: everything opened, parsed and decided in advance.
/// Made by housekeeping, owned by the hot thread from its arrival until it is handed back to be
/// destroyed. A change makes a new one for the same slot.
struct HotPod {
  std::uint32_t slot = 0;
  /// metadata.uid, namespace and name; for records and for order, never parsed here.
  std::string uid;
  std::string ns;
  std::string name;
  /// For recordings only, as they were when this was made.
  std::map<std::string, std::string, std::less<>> labels;
  /// Orders pods: creation in seconds since the epoch (0 unknown), then the memory cgroup's id.
  std::int64_t created_at_s = 0;
  CgroupId memory_id;
  /// False for a cgroup outside Kubernetes.
  bool below_pod_root = true;
  cluster::PodState state = cluster::PodState::kUnknown;
  /// Of a pod that was found empty: what it held then and since.
  engine::Remains remains = engine::Remains::without_tasks();
  /// What its sources and its place say; protection_now() is what is reported.
  enforce::Protection protection = enforce::Protection::kUnknown;
  eviction::PodFacts facts;
  /// nullptr when the cgroup went away while it was being opened.
  std::unique_ptr<enforce::KillTarget> target;
  HotFiles files;

  /// `protection`, and kOwnProcess also where only `target` has found that out. Any thread.
  [[nodiscard]] enforce::Protection protection_now() const {
    return protection != enforce::Protection::kNone || target == nullptr ? protection
                                                                         : target->protection();
  }
};

/// A change in the hot thread's pods, to be sent to it in order.
struct PodUpdate {
  std::uint32_t slot = 0;
  /// The pod that has the slot from now on; nullptr when the slot is empty from now on.
  std::unique_ptr<HotPod> pod;
};

}  // namespace evictd::daemon
