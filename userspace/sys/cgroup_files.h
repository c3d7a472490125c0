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

/// The result of reading one cgroup.
enum class ReadState {
  kRead,    ///< Usage is set; a value of -1 has no file (no pids controller, or not opened).
  kGone,    ///< The cgroup was removed: usage is -1.
  kFailed,  ///< A file could not be read or parsed: usage is -1.
};

/// The files of a cgroup to open.
enum class CgroupFileSet {
  kMemory,  ///< Usage and statistics: two descriptors.
  kPod,     ///< Also tasks.
  kRoot,    ///< Also the memory limit and pids.max, for the cgroup that holds all pods.
};

/// Open descriptors of one cgroup's files, in the hierarchies that hold its controllers.
/// Thread rule: only one thread ever reads them; the kernel's lock of an open file has no
/// priorities.
class CgroupFiles {
 public:
  CgroupFiles() = default;

  /// Opens the files of the cgroup `path`, which is the same in every hierarchy.
  /// Errors: kNotFound if the memory files do not exist. A missing pids cgroup is not an error.
  [[nodiscard]] static Result<CgroupFiles> open(const Root& root, const CgroupLayout& layout,
                                                std::string_view path,
                                                CgroupFileSet set = CgroupFileSet::kPod);

  /// The open directories above a cgroup, borrowed for the call.
  struct Above {
    int memory = -1;
    CgroupVersion version = CgroupVersion::kV2;
    /// -1 without a pids hierarchy.
    int pids = -1;
  };
  /// The same for kPod, for the cgroup at `path` ("burstable/pod1234") below `above`. Takes a third
  /// of the time in a deep tree, where the lookup of a path's directories costs most.
  [[nodiscard]] static Result<CgroupFiles> open_below(const Above& above, const std::string& path);

  /// Fills `usage`, all but `stall` and `rate_bytes_per_second`, and stamps it with `now`.
  /// Cost: two or three preads (about 8 us, nearly all for memory.stat); no allocation.
  [[nodiscard]] ReadState read(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const;
  /// Reads only `usage` and `tasks`, enough to check a threshold. Cost: one or two preads, 1 us.
  [[nodiscard]] ReadState read_live(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const;
  /// Only the charged bytes; -1 if they could not be read. Cost: one pread, half a microsecond.
  [[nodiscard]] Bytes read_usage(ReadBuffer& buffer) const;
  /// Makes the kernel flush the statistics of this cgroup and its descendants, as reading
  /// memory.stat does. Cost: one pread of the shortest file with this effect.
  void flush_statistics(ReadBuffer& buffer) const {
    static_cast<void>((flushing_ ? flushing_ : stat_).read(buffer));
  }
  /// The memory limit, kNoLimit for none; -1 if its file was not opened or could not be read.
  [[nodiscard]] Bytes read_limit(ReadBuffer& buffer) const;
  /// pids.max, kNoLimit for none; -1 if its file was not opened or could not be read.
  [[nodiscard]] std::int64_t read_max_tasks(ReadBuffer& buffer) const;
  /// Descriptor of the usage file, still owned by this object; -1 if nothing is open.
  [[nodiscard]] int usage_fd() const { return usage_.fd(); }
  /// Inode of the usage file when it was opened; 0 if nothing is open. It differs after the
  /// controller was disabled and enabled again for the cgroup.
  [[nodiscard]] std::uint64_t usage_inode() const { return usage_inode_; }

 private:
  [[nodiscard]] Result<> take_memory(Result<KeptFile> usage, Result<KeptFile> stat);

  KeptFile usage_;
  std::uint64_t usage_inode_ = 0;
  KeptFile stat_;
  /// memory.numa_stat of v1: a quarter of memory.stat's text. On v2 it would be longer.
  KeptFile flushing_;
  KeptFile limit_;
  KeptFile tasks_;
  KeptFile max_tasks_;
  std::string_view inactive_file_key_;
};

}  // namespace evictd::sys
