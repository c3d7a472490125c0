// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "evictd/result.h"
#include "oom_race/managed_oom.h"
#include "oom_race/plan.h"
#include "oom_race/protected_cgroup.h"
#include "stage/child.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Whether this machine has the rival's program; evictd is never missing.
[[nodiscard]] bool is_installed(Racer racer);

/// A program of another project that kills for memory, from Debian's package and with aggressive
/// settings: docs/performance.md names them. It is killed when the object is destroyed. One thread
/// uses it.
class Rival {
 public:
  /// Writes its settings below `directory`, starts it, in a cgroup with the protection of its unit
  /// if that has any, and returns once it says that it runs.
  /// Errors: as Child::start(); kTimedOut; kIo if it ends at once, with what it said.
  static Result<Rival> start(Racer racer, const stage::PrivateTree& tree,
                             const std::filesystem::path& directory);

  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// Ready for reading once it is dead.
  [[nodiscard]] int pidfd() const { return child_.pidfd(); }

 private:
  Rival(std::optional<ManagedOom> manager, std::optional<ProtectedCgroup> home, stage::Child child);

  std::optional<ManagedOom> manager_;
  std::optional<ProtectedCgroup> home_;
  stage::Child child_;
};

}  // namespace evictd::bench
