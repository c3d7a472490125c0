// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "plan.h"
#include "stage/private_tree.h"

namespace evictd::churn {

/// What a pod was charged for, and how many tasks it had.
struct Charge {
  Bytes memory{0};
  std::int64_t tasks = 0;
};

/// Two loads, each before it is let go and while it holds all that it is to hold.
struct LoadCharges {
  Charge idle;
  /// With so many children.
  Charge forked;
  std::int64_t children = 0;
  /// With so many MiB more than it had idle.
  Charge idle_before_memory;
  Charge allocated;
  std::int64_t mebibytes = 0;
};

/// The sizes by which pods are planned: a quarter more than what a program and a child took, and
/// nowhere less than the defaults. Pure.
[[nodiscard]] LoadSizes sizes_from(const LoadCharges& charges);

/// Lets two loads run in pods of their own in `tree` and removes them; their files are in
/// `directory`. The tree is to have no limits yet.
/// Source: usage of the pods' cgroups, and pids.current.
/// Errors: those of PrivateTree and LoadProcess; kIo when a file cannot be read.
[[nodiscard]] Result<LoadSizes> measure_load(stage::PrivateTree& tree,
                                             const std::filesystem::path& evict_load,
                                             const std::filesystem::path& directory);

}  // namespace evictd::churn
