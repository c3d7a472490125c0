// SPDX-License-Identifier: Apache-2.0
#include "notify/edge_store.h"

#include <algorithm>
#include <iterator>

namespace evictd::notify {

EdgeStore::EdgeStore(std::uint32_t places) {
  free_.emplace(0, places);
}

std::optional<EdgeRange> EdgeStore::take(std::uint32_t count) {
  if (count == 0) {
    return EdgeRange{};
  }
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [&](const auto& range) { return range.second >= count; });
  if (found == free_.end()) {
    return std::nullopt;
  }
  const EdgeRange taken{.first = found->first, .count = count};
  const std::uint32_t left = found->second - count;
  free_.erase(found);
  if (left > 0) {
    free_.emplace(taken.first + count, left);
  }
  return taken;
}

void EdgeStore::give_back(EdgeRange range) {
  if (range.count == 0) {
    return;
  }
  auto at = free_.emplace(range.first, range.count).first;
  if (const auto next = std::next(at);
      next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at != free_.begin()) {
    const auto before = std::prev(at);
    if (before->first + before->second == at->first) {
      before->second += at->second;
      free_.erase(at);
    }
  }
}

}  // namespace evictd::notify
