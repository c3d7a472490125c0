// SPDX-License-Identifier: Apache-2.0
#include "simulation/search.h"

#include <array>

namespace evictd::simulation {

namespace {

struct Part {
  bool World::Without::*field;
  const char* name;
};

constexpr std::array kParts{Part{&World::Without::restarts, "restarts"},
                            Part{&World::Without::reloads, "reloads"},
                            Part{&World::Without::lost_events, "lost-events"},
                            Part{&World::Without::bad_readings, "bad-readings"},
                            Part{&World::Without::refusals, "refusals"},
                            Part{&World::Without::left_memory, "left-memory"}};

constexpr std::size_t kMostPods = 9;

}  // namespace

std::vector<std::string> parts() {
  std::vector<std::string> names;
  names.reserve(kParts.size());
  for (const Part& part : kParts) {
    names.emplace_back(part.name);
  }
  return names;
}

void leave_out(const std::string& part, World::Without& without) {
  for (const Part& one : kParts) {
    if (part == one.name) {
      without.*one.field = true;
    }
  }
}

Failure shrink(std::uint64_t seed) {
  Failure found{.seed = seed, .without = {}, .broken = World(seed, {}).live(kLife)};
  const auto try_without = [&](const World::Without& without) {
    const std::string broken = World(seed, without).live(kLife);
    if (!broken.empty()) {
      found.without = without;
      found.broken = broken;
    }
  };
  for (const Part& part : kParts) {
    World::Without less = found.without;
    less.*part.field = true;
    try_without(less);
  }
  for (std::size_t fewer = 1; fewer <= kMostPods; ++fewer) {
    World::Without less = found.without;
    less.pods = fewer;
    try_without(less);
  }
  return found;
}

std::string describe(const Failure& failure) {
  std::string command = "simulate --seed " + std::to_string(failure.seed);
  for (const Part& part : kParts) {
    if (failure.without.*part.field) {
      command += std::string(" --without ") + part.name;
    }
  }
  if (failure.without.pods != 0) {
    command += " --fewer-pods " + std::to_string(failure.without.pods);
  }
  return "seed " + std::to_string(failure.seed) + ": " + failure.broken +
         "\nagain, with as little as it needs: build/dev/tests/" + command;
}

}  // namespace evictd::simulation
