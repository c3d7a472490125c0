// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::probe {

/// The roots in the kernel side's map, also after partial failures. Pure: the map is passed in.
class RootSet {
 public:
  /// The kernel side's map of roots.
  struct Map {
    std::function<Result<>(CgroupId)> add;
    std::function<void(CgroupId)> remove;
  };

  /// Makes `roots` the content of `map`. A root that cannot be added does not affect the others, so
  /// that the result does not depend on their order. A retry removes roots no longer wanted.
  /// Errors: the first failure of an addition.
  [[nodiscard]] Result<> replace(std::span<const CgroupId> roots, const Map& map);

  /// One bit per hierarchy (modulo 64) of the roots in the map.
  [[nodiscard]] std::uint64_t hierarchies() const;

 private:
  std::vector<CgroupId> in_map_;
};

}  // namespace evictd::probe
