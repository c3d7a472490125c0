// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "sys/pidfd.h"

namespace evictd::sys {

/// The parent of process `pid`; 0 if the parent is not in our pid namespace. Source:
/// /proc/PID/stat. Allocates nothing. Cost: about 10 us. Errors: those of open(2) and read(2);
/// illegal_byte_sequence for unexpected text.
[[nodiscard]] CallResult<pid_t> parent_process(pid_t pid);

}  // namespace evictd::sys
