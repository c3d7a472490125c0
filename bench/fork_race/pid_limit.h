// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "evictd/result.h"

namespace evictd::bench {

/// Lowers kernel.pid_max and restores it when the object is destroyed. Only for a machine that the
/// bench owns.
class PidLimit {
 public:
  /// Errors: those of reading and writing it, and of a value that the kernel refuses.
  static Result<PidLimit> lower_to(std::int64_t limit);

  PidLimit(const PidLimit&) = delete;
  PidLimit& operator=(const PidLimit&) = delete;
  PidLimit(PidLimit&& other) noexcept;
  PidLimit& operator=(PidLimit&&) = delete;
  ~PidLimit();

 private:
  explicit PidLimit(std::string before);

  std::string before_;
};

/// Number of tasks of the machine. Source: /proc/loadavg.
[[nodiscard]] Result<std::int64_t> machine_tasks();

}  // namespace evictd::bench
