// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Directory of the locks, whatever `runtimeDirectory` says: two evictds on the same pods must use
/// one file.
inline constexpr const char* kLockDirectory = "/run/evictd";

/// Prevents a second evictd on the same pods: a lock on one byte of `pod-roots.lock`, at the id of
/// the pods' cgroup. Only root may open the file. Any local user may open the cgroup's own
/// directory and could hold a lock on that. The kernel drops the lock when the process ends, in
/// whatever way, so no stale lock can remain.
class InstanceLock {
 public:
  struct Options {
    /// Created if missing.
    std::string lock_directory = kLockDirectory;
    /// Id of the directory in the memory hierarchy; it is the same in every mount.
    CgroupId cgroup;
    /// Its name in errors.
    std::string directory;
  };

  /// Errors: kBusy if another evictd holds it. kPermission for a lock file that is not private to
  /// this user, because others could hold it. Those of creating and opening the file.
  [[nodiscard]] static Result<InstanceLock> acquire(const Options& options);

 private:
  explicit InstanceLock(base::Fd file) : file_(std::move(file)) {}
  base::Fd file_;
};

}  // namespace evictd::daemon
