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

/// Whether this machine has the rival's program; always true for evictd.
[[nodiscard]] bool is_installed(Racer racer);

/// Another project's program that kills to free memory, from Debian's package and with aggressive
/// settings: docs/performance.md lists them. The destructor kills it. One thread uses it.
class Rival {
 public:
  /// Writes its settings below `directory` and starts it, in a cgroup with its unit's protection if
  /// it has any. Returns once it reports that it runs.
  /// Errors: as Child::start(); kTimedOut; kIo with its output if it exits at once.
  static Result<Rival> start(Racer racer, const stage::PrivateTree& tree,
                             const std::filesystem::path& directory);

  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// Readable once it is dead.
  [[nodiscard]] int pidfd() const { return child_.pidfd(); }

 private:
  Rival(std::optional<ManagedOom> manager, std::optional<ProtectedCgroup> home, stage::Child child);

  std::optional<ManagedOom> manager_;
  std::optional<ProtectedCgroup> home_;
  stage::Child child_;
};

}  // namespace evictd::bench
