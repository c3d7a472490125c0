// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace evictd::daemon {

/// Hands out slots from `first` on, the lowest free one first, so that tables stay dense.
class SlotAllocator {
 public:
  SlotAllocator(std::uint32_t first, std::uint32_t end)
      : first_(first), used_(end - first, false) {}

  /// Nothing when all are taken.
  [[nodiscard]] std::optional<std::uint32_t> take() {
    for (std::uint32_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) {
        used_[i] = true;
        return first_ + i;
      }
    }
    return std::nullopt;
  }

  void give_back(std::uint32_t slot) { used_[slot - first_] = false; }

 private:
  std::uint32_t first_;
  std::vector<bool> used_;
};

}  // namespace evictd::daemon
