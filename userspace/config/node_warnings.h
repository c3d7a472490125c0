// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config.h"
#include "config/node_facts.h"

namespace evictd::config {

/// Returns settings of `config` that cannot work on such a node:
/// - a threshold that is not below the capacity (always met: pod after pod is evicted);
/// - a memory threshold below what the reservations hold back;
/// - a soft threshold that is not above the hard one, if one of them is a share;
/// - a minimum reclaim that the capacity does not allow;
/// - a grace period that is longer than the growth of the pods allows;
/// - a file to write where something else exists;
/// - a bridge over grace periods on a node without memory.high.
/// All but the last two are also checked for the pods'
/// memory together, a copy of memory.available included. The results of find_warnings() are not
/// repeated.
[[nodiscard]] std::vector<Warning> find_node_warnings(const Config& config, const NodeFacts& facts);

}  // namespace evictd::config
