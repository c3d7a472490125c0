// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "sys/pidfd.h"

namespace evictd::sys {

/// The parent of the process `pid`, 0 where that is in no pid namespace of ours. Source:
/// /proc/PID/stat. Allocates nothing. Cost: about 10 us. Errors: of open(2) and read(2);
/// illegal_byte_sequence for another text.
[[nodiscard]] CallResult<pid_t> parent_process(pid_t pid);

}  // namespace evictd::sys
