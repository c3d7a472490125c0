// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "test_cgroup.h"
#include "test_work.h"

namespace evictd::test {

/// A process in a cgroup that does one piece of work after another. Killed and reaped at the end.
///
/// It is a small program of its own: what a fork of the test itself is made of, with a sanitizer
/// some MiB, would be part of what the cgroup uses.
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
