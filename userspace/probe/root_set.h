// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::probe {

/// Which roots the kernel side has been told of, whatever of it failed. Pure: it is given the map.
class RootSet {
 public:
  /// The kernel side's map of roots.
  struct Map {
    std::function<Result<>(CgroupId)> add;
    std::function<void(CgroupId)> remove;
  };

  /// Lets `map` have `roots` and no others. Those that cannot be added keep none of the rest from
  /// it, so that what is watched does not depend on their order, and a retry takes out what is no
  /// longer wanted. Errors: the first that adding one answers.
  [[nodiscard]] Result<> replace(std::span<const CgroupId> roots, const Map& map);

  /// One bit for each hierarchy (modulo 64) that a root in the map is of.
  [[nodiscard]] std::uint64_t hierarchies() const;

 private:
  std::vector<CgroupId> in_map_;
};

}  // namespace evictd::probe
