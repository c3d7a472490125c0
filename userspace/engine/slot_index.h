// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/pod_view.h"
#include "evictd/cgroup_id.h"

namespace evictd::engine {

/// Finds the slot of a pod by its cgroup, in a time that does not grow with the number of pods: a
/// hash table whose entries are the slots. Keeps no ids; its owner has them by slot. Allocates at
/// construction only. Pure.
class SlotIndex {
 public:
  SlotIndex() : first_(kMaxPods, kNone), next_(kMaxPods, kNone) {}

  /// `slot`, which is not in the index, holds the pod of `id` from now on.
  void add(CgroupId id, std::uint32_t slot);
  /// `slot` no longer holds the pod of `id`, for which it was added.
  void remove(CgroupId id, std::uint32_t slot);

  /// nullopt if no slot holds the pod of `id`; the one that was added first if several do.
  /// `id_of(slot)` is the id that `slot` was added for.
  template <typename IdOf>
  [[nodiscard]] std::optional<std::uint32_t> find(CgroupId id, const IdOf& id_of) const {
    for (std::uint16_t slot = first_[chain_of(id)]; slot != kNone; slot = next_[slot]) {
      if (id_of(std::uint32_t{slot}) == id) {
        return slot;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();
  static_assert(kMaxPods <= kNone);

  [[nodiscard]] static std::size_t chain_of(CgroupId id);
  /// The link that leads to `slot`, or the last one of the chain of `id`.
  [[nodiscard]] std::uint16_t& link_to(CgroupId id, std::uint16_t slot);

  /// The first slot of each chain: the slots whose ids have one hash.
  std::vector<std::uint16_t> first_;
  /// By slot: the next one of its chain.
  std::vector<std::uint16_t> next_;
};

}  // namespace evictd::engine
