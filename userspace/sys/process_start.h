// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "evictd/time.h"
#include "sys/pidfd.h"

namespace evictd::sys {

/// When process `pid` began, rounded down to 1/100 s. Source: /proc/PID/stat. Allocates nothing.
/// Cost: about 10 us. Errors: those of open(2) and read(2); illegal_byte_sequence for unexpected
/// text.
[[nodiscard]] CallResult<MonoTime> process_start(pid_t pid);

}  // namespace evictd::sys
