// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace evictd::notify {

/// Adjacent entries of the edge array.
struct EdgeRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Tracks the free entries of the edge array. Pure.
class EdgeStore {
 public:
  explicit EdgeStore(std::uint32_t places);

  /// The first free range of `count` entries; nullopt if there is none.
  [[nodiscard]] std::optional<EdgeRange> take(std::uint32_t count);
  /// Frees a range that take() returned.
  void give_back(EdgeRange range);

 private:
  /// First entry -> number of entries. No two ranges are adjacent.
  std::map<std::uint32_t, std::uint32_t> free_;
};

}  // namespace evictd::notify
