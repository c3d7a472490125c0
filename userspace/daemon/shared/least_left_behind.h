// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"

namespace evictd::daemon {

/// Up to this many bytes may stay charged to a cgroup without processes and cannot be reclaimed:
/// its own kernel memory, and each CPU's charges in advance.
[[nodiscard]] Bytes least_left_behind();

}  // namespace evictd::daemon
