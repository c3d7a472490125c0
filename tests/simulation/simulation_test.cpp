// SPDX-License-Identifier: Apache-2.0
// Properties that must hold in every life of a node; docs/simulation.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "simulation/search.h"
#include "simulation/world.h"

namespace evictd::simulation {
namespace {

/// Number of worlds from EVICTD_SIMULATION_WORLDS; each lives for an hour.
std::uint64_t worlds() {
  const char* const wanted = std::getenv("EVICTD_SIMULATION_WORLDS");
  return wanted == nullptr ? EVICTD_SIMULATION_WORLDS : std::strtoull(wanted, nullptr, 10);
}

/// A share of the worlds, so that the shares can run in parallel.
class Simulation : public testing::TestWithParam<int> {
 protected:
  static constexpr std::uint64_t kParts = 4;
};

TEST_P(Simulation, NoLifeOfANodeBreaksAProperty) {
  std::uint64_t lived = 0;
  std::uint64_t kills = 0;
  std::uint64_t passes = 0;
  std::uint64_t fired = 0;
  for (auto seed = static_cast<std::uint64_t>(GetParam()); seed < worlds(); seed += kParts) {
    World world(seed, {});
    const std::string broken = world.live(kLife);
    ASSERT_EQ(broken, "") << describe(shrink(seed));
    ++lived;
    kills += world.kills();
    passes += world.passes();
    fired += world.fired();
  }
  RecordProperty("worlds", std::to_string(lived));
  RecordProperty("passes", std::to_string(passes));
  RecordProperty("kills", std::to_string(kills));
  RecordProperty("kills_of_the_kernel_side", std::to_string(fired));
  EXPECT_GT(fired, lived / 10) << "too seldom to show anything";
  EXPECT_GT(kills, lived) << "too little happens to show anything";
}
INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, testing::Range(0, 4));

TEST(SimulationOfOneSeed, LivesTheSameTwice) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    World first(seed, {});
    World second(seed, {});
    EXPECT_EQ(first.live(kLife), second.live(kLife));
    EXPECT_EQ(first.fingerprint(), second.fingerprint()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evictd::simulation
