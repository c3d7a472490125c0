// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"
#include "evictd/usage.h"
#include "sys/cgroup_layout.h"
#include "sys/kept_file.h"

namespace evictd::sys {

/// How a reading of one cgroup ended.
enum class ReadState {
  kRead,    ///< Usage is there; a value that is -1 has no file (no pids controller, not asked for).
  kGone,    ///< The cgroup was removed: usage is -1.
  kFailed,  ///< A file could not be read or understood: usage is -1.
};

/// Which files of a cgroup are opened.
enum class CgroupFileSet {
  kMemory,  ///< Usage and statistics: two descriptors.
  kPod,     ///< Also tasks.
  kRoot,    ///< Also the memory limit and pids.max, for the cgroup that holds all pods.
};

/// Kept descriptors of one cgroup, in the hierarchies that hold its controllers.
/// Thread rule: read by one thread, ever: the kernel's lock of an open file has no priorities.
class CgroupFiles {
 public:
  CgroupFiles() = default;

  /// Opens the files of the cgroup `path`, the same in every hierarchy.
  /// Errors: kNotFound when the memory files are gone. A missing pids cgroup is not an error.
  [[nodiscard]] static Result<CgroupFiles> open(const Root& root, const CgroupLayout& layout,
                                                std::string_view path,
                                                CgroupFileSet set = CgroupFileSet::kPod);

  /// The directories that a cgroup is below, open and borrowed for the call.
  struct Above {
    int memory = -1;
    CgroupVersion version = CgroupVersion::kV2;
    /// -1 without one.
    int pids = -1;
  };
  /// The same for kPod, of the cgroup that is at `path` ("burstable/pod1234") below them: in a deep
  /// tree a third of the time, because most of it goes by looking up the directories of a path.
  [[nodiscard]] static Result<CgroupFiles> open_below(const Above& above, const std::string& path);

  /// Fills `usage`, all but `stall` and `rate_bytes_per_second`, and stamps it with `now`.
  /// Cost: two or three preads (about 8 us, nearly all of it memory.stat); no allocation.
  [[nodiscard]] ReadState read(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const;
  /// Only `usage` and `tasks`, as a check against a threshold needs them: one or two preads, 1 us.
  [[nodiscard]] ReadState read_live(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const;
  /// Makes the kernel bring the statistics of this cgroup and all below it up to date, as reading
  /// memory.stat does. Cost: one pread, of the shortest file that has this effect.
  void flush_statistics(ReadBuffer& buffer) const {
    static_cast<void>((flushing_ ? flushing_ : stat_).read(buffer));
  }
  /// The memory limit, kNoLimit for none; -1 where it was not opened or could not be read.
  [[nodiscard]] Bytes read_limit(ReadBuffer& buffer) const;
  /// pids.max, kNoLimit for none; -1 where it was not opened or could not be read.
  [[nodiscard]] std::int64_t read_max_tasks(ReadBuffer& buffer) const;
  /// Descriptor of the charged bytes, still owned by this object; -1 if nothing is open.
  [[nodiscard]] int usage_fd() const { return usage_.fd(); }
  /// Of the file of charged bytes when it was opened: another one where the controller was taken
  /// from the cgroup and given back since. 0 if nothing is open.
  [[nodiscard]] std::uint64_t usage_inode() const { return usage_inode_; }

 private:
  [[nodiscard]] Result<> take_memory(Result<KeptFile> usage, Result<KeptFile> stat);

  KeptFile usage_;
  std::uint64_t usage_inode_ = 0;
  KeptFile stat_;
  /// memory.numa_stat of v1: a quarter of memory.stat's text, which is longer on v2.
  KeptFile flushing_;
  KeptFile limit_;
  KeptFile tasks_;
  KeptFile max_tasks_;
  std::string_view inactive_file_key_;
};

}  // namespace evictd::sys
