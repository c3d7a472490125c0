// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "test_cgroup.h"

namespace evictd::test {

/// What a child is told to do.
enum class Work : std::uint32_t {
  kTouch4K,       ///< map `amount` bytes of 4 KiB pages and write each page
  kTouchHuge,     ///< the same with transparent huge pages
  kTouchShared,   ///< the same in a memfd
  kWriteFile,     ///< write `amount` bytes to an unlinked file on a disk file system
  kReadTwice,     ///< read all files that were written, twice: their pages become active
  kRelease,       ///< unmap and close everything
  kFork,          ///< start `amount` children that wait
  kForkAndTouch,  ///< the same, each of which has written kSmallProcess bytes, all at the same time
  kEndForks,      ///< kill and reap them, all at the same time
};

/// What a process of Work::kForkAndTouch holds, beside what a process is made of.
inline constexpr std::uint64_t kSmallProcess = 1 << 20;

/// A process in a cgroup that does one piece of work after another. Killed and reaped at the end.
class TestChild {
 public:
  explicit TestChild(const TestCgroup& cgroup);
  TestChild(const TestChild&) = delete;
  TestChild& operator=(const TestChild&) = delete;
  ~TestChild();

  /// Does the work and returns when it is done; false if the child died of it.
  bool run(Work work, std::uint64_t amount = 0);
  /// Starts the work without waiting for it.
  void start(Work work, std::uint64_t amount);
  /// Waits for what was started; false if the child died of it.
  bool wait();
  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill_and_reap();

 private:
  pid_t pid_ = -1;
  base::Fd socket_;
};

}  // namespace evictd::test
