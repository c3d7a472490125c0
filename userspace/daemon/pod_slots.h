// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "daemon/hot_pod.h"

namespace evictd::daemon {

/// The hot thread's pods by slot, and the order in which a pass sees them.
/// Allocates at construction only. Thread rule: hot thread.
class PodSlots {
 public:
  PodSlots();

  /// Puts `pod` (nullptr: nothing) in `slot` and gives back what was there.
  std::unique_ptr<HotPod> place(std::uint32_t slot, std::unique_ptr<HotPod> pod);

  /// Slots that hold a pod: newest first (creation time, else cgroup id), then by uid, because
  /// equal pods are evicted in the order in which a pass sees them.
  [[nodiscard]] std::span<const std::uint32_t> ordered() const { return order_; }
  [[nodiscard]] HotPod* at(std::uint32_t slot) { return pods_[slot].get(); }
  [[nodiscard]] const HotPod* at(std::uint32_t slot) const { return pods_[slot].get(); }

 private:
  std::vector<std::unique_ptr<HotPod>> pods_;
  std::vector<std::uint32_t> order_;
};

}  // namespace evictd::daemon
