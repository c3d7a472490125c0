// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::enforce {

/// Starts a program that has nothing of what evictd has to live through a shortage: oom_score_adj
/// 0; no locked memory, and no more than 8 MiB that it may lock; no real-time priority nor the
/// right to one; 1024 descriptors, which it may raise to 524288; no descriptor but /dev/null as
/// stdin and `output` as stdout and stderr; no signal blocked or ignored; a process group of its
/// own. Cgroup, capabilities, user and environment are those of evictd. The memory of evictd is
/// shared until the program runs, not copied: the hot thread goes on without a page fault. Errors:
/// those of clone(2) and execve(2), and of what is to be taken away, naming the program.
[[nodiscard]] Result<pid_t> spawn_ordinary(const std::vector<std::string>& argv, int output);

}  // namespace evictd::enforce
