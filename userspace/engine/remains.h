// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/bytes.h"
#include "evictd/usage.h"

namespace evictd::engine {

/// What remains in a cgroup without live processes: zombies, which count as tasks, and charges.
/// Both only fall until the cgroup gets a process, so that growth reveals one if no event does.
/// Keeps the lowest readings. Pure.
class Remains {
 public:
  /// Not read yet: the first reading counts.
  Remains() = default;
  /// A cgroup without tasks, with any charge.
  [[nodiscard]] static Remains without_tasks();

  /// Takes the numbers of a reading as what remains.
  void note(const CgroupUsage& left);
  /// Whether `now` shows more tasks, or memory beyond late charges, than an earlier reading.
  [[nodiscard]] bool outgrown_by(const CgroupUsage& now);
  [[nodiscard]] bool known() const { return tasks_ || usage_; }

 private:
  std::optional<std::int64_t> tasks_;
  std::optional<Bytes> usage_;
};

}  // namespace evictd::engine
