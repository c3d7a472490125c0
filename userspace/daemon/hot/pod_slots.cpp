// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/pod_slots.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace evictd::daemon {

namespace {

/// Cgroup ids grow in order of creation, which orders pods of unknown creation time.
std::uint64_t number_of(const HotPod& pod) {
  return pod.created_at_s == 0 ? pod.memory_id.id : 0;
}

bool before(const HotPod& a, const HotPod& b) {
  return std::tuple(b.created_at_s, number_of(b), std::string_view(a.uid)) <
         std::tuple(a.created_at_s, number_of(a), std::string_view(b.uid));
}

}  // namespace

PodSlots::PodSlots() : pods_(kMaxPods) {
  order_.reserve(kMaxPods);
}

std::unique_ptr<HotPod> PodSlots::place(std::uint32_t slot, std::unique_ptr<HotPod> pod) {
  if (pods_[slot]) {
    order_.erase(std::find(order_.begin(), order_.end(), slot));
    index_.remove(pods_[slot]->memory_id, slot);
  }
  std::unique_ptr<HotPod> old = std::exchange(pods_[slot], std::move(pod));
  if (const HotPod* placed = pods_[slot].get()) {
    const auto position =
        std::upper_bound(order_.begin(), order_.end(), *placed,
                         [this](const HotPod& a, std::uint32_t b) { return before(a, *pods_[b]); });
    order_.insert(position, slot);
    index_.add(placed->memory_id, slot);
  }
  return old;
}

const HotPod* PodSlots::find(CgroupId memory_id) const {
  const std::optional<std::uint32_t> slot =
      index_.find(memory_id, [this](std::uint32_t one) { return pods_[one]->memory_id; });
  return slot ? pods_[*slot].get() : nullptr;
}

}  // namespace evictd::daemon
