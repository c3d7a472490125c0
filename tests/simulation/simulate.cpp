// SPDX-License-Identifier: Apache-2.0
// Simulates the lives of generated nodes and reports which break a property; docs/simulation.md.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "simulation/search.h"
#include "simulation/world.h"

namespace {

using evictd::simulation::Failure;
using evictd::simulation::kLife;
using evictd::simulation::World;

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t worlds = 1;
  std::vector<std::string> without;
  std::size_t fewer_pods = 0;
  bool shrink = false;
};

int run(const Options& options) {
  World::Without without;
  without.pods = options.fewer_pods;
  for (const std::string& part : options.without) {
    evictd::simulation::leave_out(part, without);
  }
  for (std::uint64_t seed = options.seed; seed < options.seed + options.worlds; ++seed) {
    const std::string broken = World(seed, without).live(kLife);
    if (!broken.empty()) {
      const Failure failure = options.shrink
                                  ? evictd::simulation::shrink(seed)
                                  : Failure{.seed = seed, .without = without, .broken = broken};
      std::printf("%s\n", evictd::simulation::describe(failure).c_str());
      return 1;
    }
  }
  std::printf("%lu worlds from seed %lu: no property was broken\n",
              static_cast<unsigned long>(options.worlds), static_cast<unsigned long>(options.seed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Simulates generated nodes for an hour each. Exits with 1 at the first node that breaks a "
      "property."};
  app.add_option("--seed", options.seed, "the first seed")->required();
  app.add_option("--worlds", options.worlds,
                 "number of nodes, with consecutive seeds (default: 1)");
  app.add_option("--without", options.without, "part of the node's life to leave out; repeatable")
      ->check(CLI::IsMember(evictd::simulation::parts()));
  app.add_option("--fewer-pods", options.fewer_pods, "number of pods to leave out");
  app.add_flag("--shrink", options.shrink, "reduce the failure to the parts that it needs");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
