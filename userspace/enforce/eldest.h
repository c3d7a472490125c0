// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "enforce/process_lister.h"

namespace evictd::enforce {

/// The oldest ancestor of `pid` in `list`, over at most sixteen generations; `pid` itself if its
/// parent is not in `list`. In a forking pod this is the first process, whatever its pid: pids
/// wrap.
[[nodiscard]] pid_t eldest_of(pid_t pid, const ProcessList& list);

}  // namespace evictd::enforce
