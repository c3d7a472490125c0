// SPDX-License-Identifier: Apache-2.0
#include "enforce/releaser.h"

#include <gtest/gtest.h>

#include <memory>

#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

TEST(Releaser, AProcessThatIsNotBeingKilledKeepsItsMemory) {
  PrivatePod pod(PrivatePod::Kind::kV1);
  if (!pod.missing().empty()) {
    GTEST_SKIP() << pod.missing();
  }
  const pid_t process = pod.start(Behaviour::kSleep);
  KillTarget& target = pod.target();
  Releaser releaser;

  releaser.release(target);

  EXPECT_EQ(releaser.counters().refused, 1U);
  EXPECT_TRUE(alive(process));
}

TEST(Releaser, AKilledPodIsReleasedOrHasNothingLeft) {
  PrivatePod pod(PrivatePod::Kind::kV1);
  if (!pod.missing().empty()) {
    GTEST_SKIP() << pod.missing();
  }
  const pid_t process = pod.start(Behaviour::kSleep);
  KillTarget& target = pod.target();
  const std::unique_ptr<CgroupActuator> actuator = pod.actuator();
  ASSERT_TRUE(actuator->begin(target, Duration{0}, MonoTime{}));
  Releaser releaser;

  releaser.release(target);

  EXPECT_EQ(releaser.counters().refused + releaser.counters().failed, 0U);
  await_end(process);
}

}  // namespace
}  // namespace evictd::enforce::test
