// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/pod_view.h"
#include "engine/slot_index.h"
#include "evictd/cgroup_id.h"

namespace evictd::engine {

/// The pods of the node by slot. Allocates at construction only.
class Pods {
 public:
  Pods() : by_slot_(kMaxPods) {}

  /// Puts `pod` in its slot and replaces the slot's previous pod.
  void place(const PodView& pod);
  void remove(std::uint32_t slot);

  /// nullptr for an empty slot.
  [[nodiscard]] const PodView* at(std::uint32_t slot) const;
  /// nullptr once the cgroup is gone.
  [[nodiscard]] const PodView* find(CgroupId id) const;

 private:
  std::vector<std::optional<PodView>> by_slot_;
  SlotIndex index_;
};

}  // namespace evictd::engine
