// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "oom_race/plan.h"

namespace evictd::bench {

/// A service's memory that the kernel does not reclaim, as set by its unit.
struct Protection {
  /// MemoryMin and MemoryLow.
  Bytes min;
  Bytes low;
};

/// The protection in the unit of Debian's package; nullopt for a rival without one, or one that
/// locks its memory.
[[nodiscard]] std::optional<Protection> protection_of(Racer racer);

/// A rival's own cgroup v2; the destructor removes it, after the rival.
class ProtectedCgroup {
 public:
  /// `directory` must not exist; its parent must enable the memory controller for its children.
  /// Errors: those of creating it and of writing memory.min and memory.low; nothing is left then.
  static Result<ProtectedCgroup> create(std::filesystem::path directory,
                                        const Protection& protection);

  ProtectedCgroup(const ProtectedCgroup&) = delete;
  ProtectedCgroup& operator=(const ProtectedCgroup&) = delete;
  ProtectedCgroup(ProtectedCgroup&& other) noexcept;
  ProtectedCgroup& operator=(ProtectedCgroup&&) = delete;
  ~ProtectedCgroup();

  /// The file to which a process writes "0" to enter.
  [[nodiscard]] std::filesystem::path processes() const { return directory_ / "cgroup.procs"; }

 private:
  explicit ProtectedCgroup(std::filesystem::path directory);

  /// Empty after there is nothing to remove.
  std::filesystem::path directory_;
};

/// `command`, run by a shell that enters through `processes` first: memory is charged and protected
/// where it is first touched.
[[nodiscard]] std::vector<std::string> entering(const std::filesystem::path& processes,
                                                const std::vector<std::string>& command);

}  // namespace evictd::bench
