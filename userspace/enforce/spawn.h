// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::enforce {

/// Starts a program without the privileges that let evictd survive a shortage: oom_score_adj 0; no
/// locked memory, and at most 8 MiB that it may lock; no real-time priority nor the right to one;
/// 1024 descriptors, which it may raise to 524288. Its only descriptors are /dev/null as stdin and
/// `output` as stdout and stderr. No signal is blocked or ignored. It has its own process group.
/// It shares cgroup, capabilities, user and environment with evictd. It shares evictd's memory
/// until it execs, without a copy: the hot thread continues without a page fault.
/// Errors: those of clone(2), execve(2) and of dropping these privileges, naming the program.
[[nodiscard]] Result<pid_t> spawn_ordinary(const std::vector<std::string>& argv, int output);

}  // namespace evictd::enforce
