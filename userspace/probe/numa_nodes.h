// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace evictd::probe {

/// How many numbers a kernel list ("0-3,8") has; 0 for a malformed text.
[[nodiscard]] std::uint32_t count_of_list(std::string_view list);

/// NUMA node numbers in use are below this. Source: /sys/devices/system/node/possible.
[[nodiscard]] std::uint32_t node_ids();

/// How many NUMA nodes have memory now; 1 on a kernel without the file. Source:
/// /sys/devices/system/node/has_memory.
[[nodiscard]] std::uint32_t nodes_with_memory();

}  // namespace evictd::probe
