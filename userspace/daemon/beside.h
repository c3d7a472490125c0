// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace evictd::daemon {

/// Work on a second thread beside the caller's own. If no thread can be started, wait() does the
/// work, so that it is always done.
class Beside {
 public:
  explicit Beside(std::function<void()> work);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside() { wait(); }

  /// Returns once the work is done; its results may be read from then on.
  void wait();

 private:
  std::function<void()> work_;
  std::thread thread_;
};

/// Calls `work` with every number below `count`, on two threads if there are many. Calls for
/// different numbers must not touch the same data.
void for_each_below(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace evictd::daemon
