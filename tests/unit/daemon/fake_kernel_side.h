// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "daemon/hot/hot_pod.h"
#include "probe/ladder.h"
#include "probe/usage_table.h"

namespace evictd::daemon {

/// A kernel side that has every hook.
inline probe::Ladder ladder_of_every_hook() {
  probe::Ladder ladder;
  for (std::size_t i = 0; i < probe::kPurposes; ++i) {
    probe::PurposeReport report;
    report.purpose = static_cast<probe::Purpose>(i);
    report.rows.push_back({.row = "row", .hook = "hook", .chosen = true, .reason = ""});
    ladder.purposes.push_back(report);
  }
  return ladder;
}

/// The table of one that has read no pod yet, so that files are read in its place.
class FakeUsageTable final : public probe::UsageTable {
 public:
  /// What it has read of the node, and of the pod root: nothing at first.
  NodeUsage of_node;
  CgroupUsage of_pod_root;

  [[nodiscard]] Result<> refresh() override { return {}; }
  [[nodiscard]] CgroupUsage row(std::uint32_t slot) const override {
    return slot == kPodRootSlot ? of_pod_root : CgroupUsage{};
  }
  [[nodiscard]] NodeUsage node() const override { return of_node; }
};

}  // namespace evictd::daemon
