// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace evictd::daemon {

/// Allocates slots from `first` on, the lowest free one first, so that tables stay dense.
class SlotAllocator {
 public:
  SlotAllocator(std::uint32_t first, std::uint32_t end)
      : first_(first), used_(end - first, false) {}

  /// nullopt if all are taken.
  [[nodiscard]] std::optional<std::uint32_t> take() {
    while (lowest_ < used_.size() && used_[lowest_]) {
      ++lowest_;
    }
    if (lowest_ == used_.size()) {
      return std::nullopt;
    }
    used_[lowest_] = true;
    return first_ + lowest_++;
  }

  void give_back(std::uint32_t slot) {
    const std::uint32_t index = slot - first_;
    used_[index] = false;
    lowest_ = std::min(lowest_, index);
  }

 private:
  std::uint32_t first_;
  std::vector<bool> used_;
  /// All below it are taken.
  std::uint32_t lowest_ = 0;
};

}  // namespace evictd::daemon
