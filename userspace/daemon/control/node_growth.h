// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "evictd/usage.h"

namespace evictd::daemon {

/// How fast the node's working set grows, measured over one to two seconds: a leak in bursts shows
/// its mean.
class NodeGrowth {
 public:
  /// Takes the row of the kernel side; call it once a second. A row without a reading starts anew.
  void see(const NodeUsage& row);
  /// Bytes a second until `row`, 0 while the working set does not grow. nullopt before the second
  /// see().
  [[nodiscard]] std::optional<std::int64_t> per_second(const NodeUsage& row) const;

 private:
  /// The earlier one first.
  std::array<std::optional<NodeUsage>, 2> rows_;
};

}  // namespace evictd::daemon
