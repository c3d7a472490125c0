// SPDX-License-Identifier: Apache-2.0
// Whatever a node goes through, each pass keeps the rules, and goes on from a
// copy of its state as from itself.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "unit/eviction/random_node.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::eviction;
  GivenNumbers numbers({data, size});
  GivenNumbers same_numbers({data, size});
  RandomNode node(numbers);
  RandomNode restarted(same_numbers);
  while (!numbers.used_up()) {
    const Decision& decision = node.step();
    const std::string broken = broken_rule(decision, node.node());
    if (!restarted.node().manager().waits_for_collectors()) {
      restarted.node().manager().restore(PassState(restarted.node().manager().state()));
    }
    const Decision& again = restarted.step();
    if (!broken.empty() || decision.outcome != again.outcome || decision.victim != again.victim ||
        decision.next_deadline != again.next_deadline) {
      std::fprintf(stderr, "%s\n", broken.empty() ? "a restart decides otherwise" : broken.c_str());
      std::abort();
    }
  }
  return 0;
}
