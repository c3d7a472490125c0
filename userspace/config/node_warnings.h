// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config.h"
#include "config/node_facts.h"

namespace evictd::config {

/// Settings of `config` that cannot work on such a node: a threshold that is not below the capacity
/// (met for ever: pod after pod goes), a memory threshold below what the reservations hold back, a
/// soft threshold not above the hard one where one is a share, a minimum reclaim that the capacity
/// does not allow, and a grace that the growth of the pods does not leave time for; all of these
/// also of the pods' memory together, a copy of memory.available included; and a file to write
/// where something else is. What find_warnings() finds is not among them.
[[nodiscard]] std::vector<Warning> find_node_warnings(const Config& config, const NodeFacts& facts);

}  // namespace evictd::config
