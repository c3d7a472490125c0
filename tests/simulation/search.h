// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/world.h"

namespace evictd::simulation {

/// How long a world lives.
inline constexpr Duration kLife = std::chrono::hours(1);

/// What can be left out, by its name.
[[nodiscard]] std::vector<std::string> parts();
/// Leaves out one of them.
void leave_out(const std::string& part, World::Without& without);

/// A life that breaks a property, with as little happening in it as was found to do.
struct Failure {
  std::uint64_t seed = 0;
  World::Without without;
  /// Empty where nothing was broken.
  std::string broken;
};

/// Leaves out of the life of `seed` one thing after the other as long as a property stays broken.
[[nodiscard]] Failure shrink(std::uint64_t seed);

/// What was broken, and the command that shows it again.
[[nodiscard]] std::string describe(const Failure& failure);

}  // namespace evictd::simulation
