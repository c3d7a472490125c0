// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::test {

/// Tasks of a process with one thread that was forked and executes nothing else, as the kernel
/// counts them: ThreadSanitizer gives it a thread of its own before fork() returns in it. A process
/// that has executed a program gets that thread only with the program's first thread.
#ifdef __SANITIZE_THREAD__
inline constexpr int kTasksOfAForkedProcess = 2;
#else
inline constexpr int kTasksOfAForkedProcess = 1;
#endif

}  // namespace evictd::test
