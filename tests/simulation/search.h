// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/world.h"

namespace evictd::simulation {

/// Lifetime of a world.
inline constexpr Duration kLife = std::chrono::hours(1);

/// Names of the parts of a world that can be left out.
[[nodiscard]] std::vector<std::string> parts();
/// Leaves out one of them.
void leave_out(const std::string& part, World::Without& without);

/// A life that breaks a property, reduced to the fewest parts that were found to break it.
struct Failure {
  std::uint64_t seed = 0;
  World::Without without;
  /// The broken property; empty if none was broken.
  std::string broken;
};

/// Leaves out one part of the life of `seed` after the other while a property stays broken.
[[nodiscard]] Failure shrink(std::uint64_t seed);

/// Describes the broken property and the command that reproduces it.
[[nodiscard]] std::string describe(const Failure& failure);

}  // namespace evictd::simulation
