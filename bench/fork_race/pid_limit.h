// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "evictd/result.h"

namespace evictd::bench {

/// kernel.pid_max lowered, and put back when the object is destroyed. For a machine of the bench's
/// own only.
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

/// Tasks of the machine. Source: /proc/loadavg.
[[nodiscard]] Result<std::int64_t> machine_tasks();

}  // namespace evictd::bench
