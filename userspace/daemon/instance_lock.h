// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Where the locks are, whatever `runtimeDirectory` says: two evictds on the same pods must look at
/// one file.
inline constexpr const char* kLockDirectory = "/run/evictd";

/// Keeps a second evictd off the same pods: a lock on one byte of `pod-roots.lock`, at the id of
/// the cgroup that they are in. The file is for root alone, because a lock on the cgroup's own
/// directory, which everybody may open, could be held by any local user. The kernel drops it with
/// the process, however that ends, so nothing stale can be left behind.
class InstanceLock {
 public:
  struct Options {
    /// Made where it is missing.
    std::string lock_directory = kLockDirectory;
    /// Of the directory in the memory hierarchy; the id is the same in every mount of it.
    CgroupId cgroup;
    /// What errors call it.
    std::string directory;
  };

  /// Errors: kBusy when another evictd holds it; kPermission for a lock file that is not of this
  /// user alone, because others could hold it; those of making and opening the file.
  [[nodiscard]] static Result<InstanceLock> acquire(const Options& options);

 private:
  explicit InstanceLock(base::Fd file) : file_(std::move(file)) {}
  base::Fd file_;
};

}  // namespace evictd::daemon
