// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "daemon/hot/hot_pod.h"
#include "engine/slot_index.h"
#include "evictd/cgroup_id.h"

namespace evictd::daemon {

/// The hot thread's pods by slot, and their order in a pass. Allocates only at construction. Thread
/// rule: hot thread.
class PodSlots {
 public:
  PodSlots();

  /// Puts `pod` (nullptr: none) in `slot` and returns the former content.
  std::unique_ptr<HotPod> place(std::uint32_t slot, std::unique_ptr<HotPod> pod);

  /// Slots that hold a pod, newest first (creation time, else cgroup id), then by uid. Equally
  /// ranked pods are evicted in this order.
  [[nodiscard]] std::span<const std::uint32_t> ordered() const { return order_; }
  [[nodiscard]] HotPod* at(std::uint32_t slot) { return pods_[slot].get(); }
  [[nodiscard]] const HotPod* at(std::uint32_t slot) const { return pods_[slot].get(); }
  /// The pod of that memory cgroup; nullptr once it is gone.
  [[nodiscard]] const HotPod* find(CgroupId memory_id) const;

 private:
  std::vector<std::unique_ptr<HotPod>> pods_;
  engine::SlotIndex index_;
  std::vector<std::uint32_t> order_;
};

}  // namespace evictd::daemon
