// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/pod_table.h"
#include "daemon/descriptor_shares.h"
#include "daemon/hot_pod.h"
#include "daemon/pod_places.h"
#include "sys/cgroup_layout.h"
#include "sys/root.h"

namespace evictd::daemon {

/// What a pod is allowed and entitled to, from its manifest or its place.
struct PodStanding {
  eviction::PodFacts facts;
  enforce::Protection protection = enforce::Protection::kUnknown;

  bool operator==(const PodStanding&) const = default;
};

/// Makes HotPods: opens the files that the hot thread reads and what it signals through.
/// Thread rule: housekeeping only. Blocks in file system calls.
class PodOpener {
 public:
  /// All borrowed, but for `shares`.
  struct Options {
    const sys::Root* root = nullptr;
    const sys::CgroupLayout* layout = nullptr;
    const PodPlaces* places = nullptr;
    DescriptorShares shares;
  };
  struct Opened {
    std::unique_ptr<HotPod> pod;
    /// There were descriptors for all that a pod keeps.
    bool complete = true;
    /// Something could not be had although the cgroup is there.
    bool failed = false;
  };

  explicit PodOpener(Options options) : options_(options) {}

  /// `entry` must have a cgroup. A cgroup that is gone by now leaves the pod without files.
  [[nodiscard]] Opened open(const cluster::PodEntry& entry, const PodStanding& standing,
                            std::uint32_t slot) const;
  [[nodiscard]] const DescriptorShares& shares() const { return options_.shares; }

 private:
  void open_files(const cluster::PodCgroup& cgroup, Opened& opened) const;
  void open_target(const cluster::PodCgroup& cgroup, Opened& opened) const;

  Options options_;
};

}  // namespace evictd::daemon
