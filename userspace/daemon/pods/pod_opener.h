// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cluster/pod_table.h"
#include "daemon/descriptor_shares.h"
#include "daemon/hot/hot_pod.h"
#include "daemon/pods/pod_places.h"
#include "sys/root.h"

namespace evictd::daemon {

/// A pod's protection and resources, from its manifest or its place.
struct PodStanding {
  eviction::PodFacts facts;
  enforce::Protection protection = enforce::Protection::kUnknown;
  /// As in KillTarget::Options; of the configuration.
  bool keeps_memory_high = false;

  bool operator==(const PodStanding&) const = default;
};

/// Creates HotPods: opens the files that the hot thread reads, and what it signals through. Thread
/// rule: one thread at a time, only housekeeping once there are threads; open_all() starts a second
/// one for itself. Blocks in file system calls.
class PodOpener {
 public:
  /// All borrowed, except `shares`.
  struct Options {
    const sys::Root* root = nullptr;
    const PodPlaces* places = nullptr;
    DescriptorShares shares;
  };
  struct Opened {
    std::unique_ptr<HotPod> pod;
    /// There were enough descriptors for everything that a pod keeps.
    bool complete = true;
    /// Something could not be opened although the cgroup exists.
    bool failed = false;
  };

  /// A pod to open.
  struct Wanted {
    /// Borrowed for the call; it must have a cgroup.
    const cluster::PodEntry* entry = nullptr;
    PodStanding standing;
    std::uint32_t slot = 0;
  };

  explicit PodOpener(Options options) : options_(options) {}

  /// Opens each of `wanted`, in order; on two threads if there are many. A pod whose cgroup is gone
  /// has no files.
  [[nodiscard]] std::vector<Opened> open_all(std::span<const Wanted> wanted) const;
  [[nodiscard]] const DescriptorShares& shares() const { return options_.shares; }

 private:
  [[nodiscard]] Opened open(const Wanted& wanted, const enforce::OwnCgroups* own) const;
  void open_files(const cluster::PodCgroup& cgroup, Opened& opened) const;
  void open_target(const Wanted& wanted, const enforce::OwnCgroups* own, Opened& opened) const;

  Options options_;
};

}  // namespace evictd::daemon
