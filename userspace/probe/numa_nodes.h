// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace evictd::probe {

/// How many numbers a list of the kernel has ("0-3,8"). What is no list has none.
[[nodiscard]] std::uint32_t count_of_list(std::string_view list);

/// NUMA node numbers in use are below this. Source: /sys/devices/system/node/possible.
[[nodiscard]] std::uint32_t node_ids();

/// How many NUMA nodes have memory now. Source: /sys/devices/system/node/has_memory; a kernel that
/// has no such file knows of one.
[[nodiscard]] std::uint32_t nodes_with_memory();

}  // namespace evictd::probe
