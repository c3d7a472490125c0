// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/node_growth.h"

#include <algorithm>

#include "poll/growth.h"

namespace evictd::daemon {
namespace {

Bytes working_set(const NodeUsage& row) {
  return std::max(Bytes{0}, row.usage - std::max(Bytes{0}, row.inactive_file));
}

}  // namespace

void NodeGrowth::see(const NodeUsage& row) {
  rows_[0] = rows_[1];
  rows_[1] = row.usage.value < 0 ? std::nullopt : std::optional(row);
}

std::optional<std::int64_t> NodeGrowth::per_second(const NodeUsage& row) const {
  if (!rows_[0] || !rows_[1] || row.usage.value < 0) {
    return std::nullopt;
  }
  return std::max<std::int64_t>(
      0, poll::growth_per_second(working_set(*rows_[0]), rows_[0]->read_at, working_set(row),
                                 row.read_at));
}

}  // namespace evictd::daemon
