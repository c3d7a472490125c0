// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"

namespace evictd::daemon {

/// No more than this is charged to a cgroup without a process for nothing that could be given back:
/// kernel memory of its own, and what each CPU has charged ahead.
[[nodiscard]] Bytes least_left_behind();

}  // namespace evictd::daemon
