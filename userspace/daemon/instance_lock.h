// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Keeps a second evictd off the same pods: an exclusive flock(2) on a directory that they are in.
/// The kernel drops it with the process, however that ends, so nothing stale can be left behind.
class InstanceLock {
 public:
  /// Errors: kBusy when another evictd holds `directory`; kNotFound when it does not exist.
  [[nodiscard]] static Result<InstanceLock> acquire(const std::string& directory);

 private:
  explicit InstanceLock(base::Fd directory) : directory_(std::move(directory)) {}
  base::Fd directory_;
};

}  // namespace evictd::daemon
