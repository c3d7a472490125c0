// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cluster/cgroup_tree.h"
#include "stage/child.h"
#include "stage/private_tree.h"

namespace evictd::test {

/// A pod tree of our own in the real cgroup file system, removed at the end of the test.
class RealTree : public testing::Test {
 protected:
  void SetUp() override;

  [[nodiscard]] stage::StagedPod add_pod(stage::QosClass qos = stage::QosClass::kBurstable);
  /// Starts a process that lives in the pod's container until it is killed.
  [[nodiscard]] stage::Child live_in(const stage::StagedPod& pod) const;
  [[nodiscard]] cluster::CgroupTree scanned() const;
  /// Ids of a cgroup, whose path may lack the leading '/'.
  [[nodiscard]] CgroupId memory_id(const std::string& path) const;
  [[nodiscard]] CgroupId pids_id(const std::string& path) const;

  sys::Root root_ = *sys::Root::open();
  std::optional<sys::CgroupLayout> layout_;
  std::optional<stage::PrivateTree> tree_;
};

}  // namespace evictd::test
