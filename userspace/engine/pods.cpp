// SPDX-License-Identifier: Apache-2.0
#include "engine/pods.h"

namespace evictd::engine {

void Pods::place(const PodView& pod) {
  std::optional<PodView>& place = by_slot_[pod.slot];
  if (place && place->id != pod.id) {
    remove(pod.slot);
  }
  if (!place) {
    index_.add(pod.id, pod.slot);
  }
  place = pod;
}

void Pods::remove(std::uint32_t slot) {
  if (by_slot_[slot]) {
    index_.remove(by_slot_[slot]->id, slot);
    by_slot_[slot].reset();
  }
}

const PodView* Pods::at(std::uint32_t slot) const {
  return slot < by_slot_.size() && by_slot_[slot] ? &*by_slot_[slot] : nullptr;
}

const PodView* Pods::find(CgroupId id) const {
  const auto slot = index_.find(id, [this](std::uint32_t one) { return by_slot_[one]->id; });
  return slot ? &*by_slot_[*slot] : nullptr;
}

}  // namespace evictd::engine
