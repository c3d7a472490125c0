// SPDX-License-Identifier: Apache-2.0
#include "enforce/pod_root.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <utility>

namespace evictd::enforce {

Result<PodRoot> PodRoot::open(const Options& options) {
  PodRoot root;
  root.kind_ = options.kind;
  root.directory_ = options.directory;
  root.dir_ = base::Fd(::open(options.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.dir_) {
    return fail_errno(errno, "open pod root " + options.directory);
  }
  struct statfs file_system = {};
  struct stat status = {};
  if (::fstatfs(root.dir_.get(), &file_system) != 0 || ::fstat(root.dir_.get(), &status) != 0) {
    return fail_errno(errno, "read pod root " + options.directory);
  }
  const long expected =
      options.kind == HierarchyKind::kV2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC;
  if (file_system.f_type != expected) {
    return fail(Errc::kInvalid, "pod root " + options.directory + " is not in a cgroup " +
                                    (options.kind == HierarchyKind::kV2 ? "v2" : "v1") +
                                    " file system");
  }
  root.id_ = CgroupId{.hierarchy = options.hierarchy, .id = status.st_ino};
  return root;
}

}  // namespace evictd::enforce
