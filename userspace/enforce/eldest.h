// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "enforce/process_lister.h"

namespace evictd::enforce {

/// The oldest ancestor of `pid` that is in `list` too, over sixteen generations at the most; `pid`
/// itself where its parent is not. Of a pod that forks it is the one that began it, whatever its
/// number: numbers wrap.
[[nodiscard]] pid_t eldest_of(pid_t pid, const ProcessList& list);

}  // namespace evictd::enforce
