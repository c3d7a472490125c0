// SPDX-License-Identifier: Apache-2.0
#include "harness/private_ground.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace evictd::bench {

Result<PrivateGround> PrivateGround::create() {
  Result<stage::PrivateTree> tree =
      stage::PrivateTree::create("evictd-bench-" + std::to_string(::getpid()));
  if (!tree) {
    return tl::unexpected(tree.error());
  }
  Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-bench-");
  if (!scratch) {
    return tl::unexpected(scratch.error());
  }
  return PrivateGround{std::move(*tree), std::move(*scratch)};
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
