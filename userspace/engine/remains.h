// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/bytes.h"
#include "evictd/usage.h"

namespace evictd::engine {

/// What a cgroup holds that has no live process: zombies, which count as tasks, and charges. Both
/// only fall until it gets a process, so that growth tells of one where nobody else does. Keeps the
/// least that was read. Pure.
class Remains {
 public:
  /// Not read yet: the first reading is what was left.
  Remains() = default;
  /// Of a cgroup in which no task is left, whatever it is charged with.
  [[nodiscard]] static Remains without_tasks();

  /// Takes a reading as what is left, where it has a number.
  void note(const CgroupUsage& left);
  /// Whether `now` shows more tasks, or memory beyond late charges, than an earlier reading.
  [[nodiscard]] bool outgrown_by(const CgroupUsage& now);
  [[nodiscard]] bool known() const { return tasks_ || usage_; }

 private:
  std::optional<std::int64_t> tasks_;
  std::optional<Bytes> usage_;
};

}  // namespace evictd::engine
