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

/// Memory that the kernel does not reclaim from a service, as its unit has it.
struct Protection {
  /// MemoryMin and MemoryLow.
  Bytes min;
  Bytes low;
};

/// That of the unit in Debian's package, of those rivals whose unit has one and that do not lock
/// their memory.
[[nodiscard]] std::optional<Protection> protection_of(Racer racer);

/// A cgroup of v2 of one rival's own, removed when the object is destroyed: after the rival.
class ProtectedCgroup {
 public:
  /// `directory` must not exist; its parent gives its children the memory controller.
  /// Errors: those of making it and of writing memory.min and memory.low; nothing is left then.
  static Result<ProtectedCgroup> create(std::filesystem::path directory,
                                        const Protection& protection);

  ProtectedCgroup(const ProtectedCgroup&) = delete;
  ProtectedCgroup& operator=(const ProtectedCgroup&) = delete;
  ProtectedCgroup(ProtectedCgroup&& other) noexcept;
  ProtectedCgroup& operator=(ProtectedCgroup&&) = delete;
  ~ProtectedCgroup();

  /// Where a process writes "0" to enter.
  [[nodiscard]] std::filesystem::path processes() const { return directory_ / "cgroup.procs"; }

 private:
  explicit ProtectedCgroup(std::filesystem::path directory);

  /// Empty once there is nothing to remove.
  std::filesystem::path directory_;
};

/// `command`, run by a shell that first enters by `processes`: memory is charged, and protected,
/// where it is first touched.
[[nodiscard]] std::vector<std::string> entering(const std::filesystem::path& processes,
                                                const std::vector<std::string>& command);

}  // namespace evictd::bench
