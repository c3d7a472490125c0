// SPDX-License-Identifier: Apache-2.0
#include "engine/pods.h"

#include <algorithm>

namespace evictd::engine {

Pods::Pods() : by_slot_(kMaxPods) {
  used_.reserve(kMaxPods);
}

void Pods::place(const PodView& pod) {
  if (!by_slot_[pod.slot]) {
    used_.push_back(pod.slot);
  }
  by_slot_[pod.slot] = pod;
}

void Pods::remove(std::uint32_t slot) {
  if (by_slot_[slot]) {
    by_slot_[slot].reset();
    *std::find(used_.begin(), used_.end(), slot) = used_.back();
    used_.pop_back();
  }
}

const PodView* Pods::at(std::uint32_t slot) const {
  return slot < by_slot_.size() && by_slot_[slot] ? &*by_slot_[slot] : nullptr;
}

const PodView* Pods::find(CgroupId id) const {
  const auto slot = std::find_if(used_.begin(), used_.end(),
                                 [&](std::uint32_t one) { return by_slot_[one]->id == id; });
  return slot == used_.end() ? nullptr : &*by_slot_[*slot];
}

}  // namespace evictd::engine
