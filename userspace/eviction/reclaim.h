// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eviction/disk_layout.h"
#include "eviction/signal.h"

namespace evictd::eviction {

/// Frees node-level resources before a pod is evicted.
enum class Collector : std::uint8_t {
  kContainers,  ///< Removes dead containers.
  kImages,      ///< Removes unused images.
};

/// "containers", "images".
[[nodiscard]] std::string_view to_string(Collector collector);

/// Collectors in the order in which they run.
struct CollectorList {
  std::array<Collector, 2> items{};
  std::size_t size = 0;

  [[nodiscard]] const Collector* begin() const { return items.data(); }
  [[nodiscard]] const Collector* end() const { return items.data() + size; }
  [[nodiscard]] bool empty() const { return size == 0; }
};

/// Collectors that help a signal; none for memory and pids.
[[nodiscard]] CollectorList collectors_for(Signal signal, DiskLayout layout);

}  // namespace evictd::eviction
