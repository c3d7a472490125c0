// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace evictd::notify {

/// Neighbouring places of the edge array.
struct EdgeRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Which places of the edge array are free. Pure.
class EdgeStore {
 public:
  explicit EdgeStore(std::uint32_t places);

  /// The first free range of `count` places; nothing if there is none.
  [[nodiscard]] std::optional<EdgeRange> take(std::uint32_t count);
  /// Gives back what take() gave.
  void give_back(EdgeRange range);

 private:
  /// First place -> how many; no two are neighbours.
  std::map<std::uint32_t, std::uint32_t> free_;
};

}  // namespace evictd::notify
