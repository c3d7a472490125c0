// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace evictd::daemon {

/// Work that a second thread does while the caller does something else. Where no thread can be
/// started it is done in wait(), so that it is done in any case.
class Beside {
 public:
  explicit Beside(std::function<void()> work);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside() { wait(); }

  /// Returns once the work is done; what it wrote may be read from then on.
  void wait();

 private:
  std::function<void()> work_;
  std::thread thread_;
};

/// Calls `work` with every number below `count`, from two threads when there are many of them. What
/// `work` does for one number must not touch what it does for another.
void for_each_below(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace evictd::daemon
