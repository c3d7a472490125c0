// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_slots.h"

#include <algorithm>
#include <tuple>

namespace evictd::daemon {

namespace {

bool before(const HotPod& a, const HotPod& b) {
  return std::tie(b.created_at_s, b.memory_id.id, a.uid) <
         std::tie(a.created_at_s, a.memory_id.id, b.uid);
}

}  // namespace

PodSlots::PodSlots() : pods_(kMaxPods) {
  order_.reserve(kMaxPods);
}

std::unique_ptr<HotPod> PodSlots::place(std::uint32_t slot, std::unique_ptr<HotPod> pod) {
  if (pods_[slot]) {
    order_.erase(std::find(order_.begin(), order_.end(), slot));
  }
  std::unique_ptr<HotPod> old = std::exchange(pods_[slot], std::move(pod));
  if (const HotPod* placed = pods_[slot].get()) {
    const auto position =
        std::upper_bound(order_.begin(), order_.end(), *placed,
                         [this](const HotPod& a, std::uint32_t b) { return before(a, *pods_[b]); });
    order_.insert(position, slot);
  }
  return old;
}

}  // namespace evictd::daemon
