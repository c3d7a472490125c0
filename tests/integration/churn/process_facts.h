// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::churn {

/// The number behind `key` in a text of "KEY:<blanks>NUMBER" lines, as /proc has them.
/// Errors: kNotFound, kMalformed.
[[nodiscard]] Result<std::int64_t> number_of(std::string_view text, std::string_view key);

/// Memory that the process has in RAM. Source: VmRSS of /proc/PID/status.
[[nodiscard]] Result<Bytes> resident_memory(pid_t process);

/// How many descriptors it has open. Source: /proc/PID/fd. Errors: as opendir(3).
[[nodiscard]] Result<std::size_t> open_descriptors(pid_t process);

}  // namespace evictd::churn
