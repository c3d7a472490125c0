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
    // UBSan looks through a pipe at the first object that it meets of a class: before a test leaves
    // no descriptor.
    static_cast<void>(static_cast<const Actuator&>(*actuator_).next_deadline());
  }

  PrivatePod pod_{PrivatePod::Kind::kV1};
  std::unique_ptr<CgroupActuator> actuator_ = pod_.actuator();
};

}  // namespace evictd::enforce::test
