// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cluster/pod_table.h"
#include "daemon/descriptor_shares.h"
#include "daemon/hot_pod.h"
#include "daemon/pod_places.h"
#include "sys/root.h"

namespace evictd::daemon {

/// What a pod is allowed and entitled to, from its manifest or its place.
struct PodStanding {
  eviction::PodFacts facts;
  enforce::Protection protection = enforce::Protection::kUnknown;

  bool operator==(const PodStanding&) const = default;
};

/// Makes HotPods: opens the files that the hot thread reads and what it signals through.
/// Thread rule: any one thread at a time, housekeeping once there are threads; open_all() takes a
/// second one for itself. Blocks in file system calls.
class PodOpener {
 public:
  /// All borrowed, but for `shares`.
  struct Options {
    const sys::Root* root = nullptr;
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

  /// A pod that is to be opened.
  struct Wanted {
    /// Borrowed for the call; it must have a cgroup.
    const cluster::PodEntry* entry = nullptr;
    PodStanding standing;
    std::uint32_t slot = 0;
  };

  explicit PodOpener(Options options) : options_(options) {}

  /// Opens each of `wanted`, in its order; on two threads when there are many. A cgroup that is
  /// gone by now leaves the pod without files.
  [[nodiscard]] std::vector<Opened> open_all(std::span<const Wanted> wanted) const;
  [[nodiscard]] const DescriptorShares& shares() const { return options_.shares; }

 private:
  [[nodiscard]] Opened open(const Wanted& wanted, const enforce::OwnCgroups* own) const;
  void open_files(const cluster::PodCgroup& cgroup, Opened& opened) const;
  void open_target(const cluster::PodCgroup& cgroup, const enforce::OwnCgroups* own,
                   Opened& opened) const;

  Options options_;
};

}  // namespace evictd::daemon
