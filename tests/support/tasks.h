// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::test {

/// Tasks of a process with one thread, as the kernel counts them: ThreadSanitizer gives each
/// process a thread of its own, a forked one before fork() returns in it.
#ifdef __SANITIZE_THREAD__
inline constexpr int kTasksOfAProcess = 2;
#else
inline constexpr int kTasksOfAProcess = 1;
#endif

}  // namespace evictd::test
