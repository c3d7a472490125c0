// SPDX-License-Identifier: Apache-2.0
#include "harness/private_ground.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "evictd/try.h"

namespace evictd::bench {

Result<PrivateGround> PrivateGround::create() {
  EVICTD_ASSIGN_OR_RETURN(stage::PrivateTree tree,
                          stage::PrivateTree::create("evictd-bench-" + std::to_string(::getpid())));
  EVICTD_ASSIGN_OR_RETURN(stage::ScratchDirectory scratch,
                          stage::ScratchDirectory::create("evictd-bench-"));
  return PrivateGround{std::move(tree), std::move(scratch)};
}

Result<> require_virtual_machine(std::string_view bench, std::string_view resource) {
  if (std::getenv("EVICTD_VM") == nullptr) {
    return fail(Errc::kUnsupported, "it takes all " + std::string(resource) +
                                        " of the machine: run it with scripts/bench-in-vm " +
                                        std::string(bench));
  }
  return {};
}

}  // namespace evictd::bench
