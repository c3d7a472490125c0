// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "enforce/cgroup_actuator.h"
#include "private_pod.h"

namespace evictd::enforce::test {

/// A pod in the v1 memory and pids hierarchies.
class CgroupActuatorOnV1 : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
    show(*actuator_);
  }

  /// UBSan looks through a pipe at the first object that it meets of a class, here before a test
  /// leaves no descriptor for one. Through the base class: that is the one it asks for in begin().
  static void show(const Actuator& actuator) { static_cast<void>(actuator.next_deadline()); }

  PrivatePod pod_{PrivatePod::Kind::kV1};
  std::unique_ptr<CgroupActuator> actuator_ = pod_.actuator();
};

}  // namespace evictd::enforce::test
