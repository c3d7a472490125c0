// SPDX-License-Identifier: Apache-2.0
#include "probe/root_set.h"

#include <algorithm>
#include <utility>

namespace evictd::probe {

Result<> RootSet::replace(std::span<const CgroupId> roots, const Map& map) {
  // First, because the map may be full of them.
  for (const CgroupId& old : in_map_) {
    if (std::find(roots.begin(), roots.end(), old) == roots.end()) {
      map.remove(old);
    }
  }
  const std::vector<CgroupId> before = std::exchange(in_map_, {});
  Result<> all;
  for (const CgroupId& root : roots) {
    Result<> added = map.add(root);
    // One that was there stays there, although it could not be written anew.
    if (added || std::find(before.begin(), before.end(), root) != before.end()) {
      in_map_.push_back(root);
    }
    if (!added && all) {
      all = std::move(added);
    }
  }
  return all;
}

std::uint64_t RootSet::hierarchies() const {
  std::uint64_t bits = 0;
  for (const CgroupId& root : in_map_) {
    bits |= std::uint64_t{1} << (root.hierarchy % 64);
  }
  return bits;
}

}  // namespace evictd::probe
