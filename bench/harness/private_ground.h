// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "evictd/result.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {

/// A cgroup tree and a directory that belong to one bench; removed with the object.
struct PrivateGround {
  stage::PrivateTree tree;
  stage::ScratchDirectory scratch;

  /// Errors: those of PrivateTree::create() and ScratchDirectory::create().
  [[nodiscard]] static Result<PrivateGround> create();
};

/// For a bench that exhausts a `resource` ("memory") of the machine.
/// Errors: kUnsupported outside the machine that scripts/bench-in-vm starts for `bench`.
[[nodiscard]] Result<> require_virtual_machine(std::string_view bench, std::string_view resource);

}  // namespace evictd::bench
