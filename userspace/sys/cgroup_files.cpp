// SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "evictd/try.h"
#include "sys/kernel_text.h"

namespace evictd::sys {

namespace {

/// The files of one version of the memory controller. A v1 statistic without "total_" excludes the
/// children, which hold a pod's containers.
struct MemoryNames {
  std::string_view usage;
  std::string_view limit;
  std::string_view inactive_file;
};

constexpr MemoryNames names_of(CgroupVersion version) {
  switch (version) {
    case CgroupVersion::kV1:
      return {"memory.usage_in_bytes", "memory.limit_in_bytes", "total_inactive_file"};
    case CgroupVersion::kV2:
      return {"memory.current", "memory.max", "inactive_file"};
  }
  return {};
}

/// An optional file; any error but its absence is an error.
Result<KeptFile> if_there(Result<KeptFile> file) {
  if (!file && file.error().code == Errc::kNotFound) {
    return KeptFile();
  }
  return file;
}

ReadState read_number(const KeptFile& file, ReadBuffer& buffer, std::int64_t& value) {
  const KeptText text = file.read(buffer);
  if (!text) {
    return text.gone() ? ReadState::kGone : ReadState::kFailed;
  }
  const std::optional<std::int64_t> number = parse_single_number(text.text);
  value = number.value_or(-1);
  return number ? ReadState::kRead : ReadState::kFailed;
}

}  // namespace

Result<CgroupFiles> CgroupFiles::open(const Root& root, const CgroupLayout& layout,
                                      std::string_view path, CgroupFileSet set) {
  const Hierarchy& memory = layout.memory();
  const MemoryNames names = names_of(memory.version);
  const std::string directory = memory.path_of(path);
  CgroupFiles files;
  files.inactive_file_key_ = names.inactive_file;

  EVICTD_TRY(files.take_memory(KeptFile::open(root, join_path(directory, names.usage)),
                               KeptFile::open(root, join_path(directory, "memory.stat"))));

  struct Optional {
    KeptFile* file;
    std::string path;
  };
  std::vector<Optional> others;
  if (set == CgroupFileSet::kRoot) {
    others.push_back({&files.limit_, join_path(directory, names.limit)});
    if (memory.version == CgroupVersion::kV1) {
      others.push_back({&files.flushing_, join_path(directory, "memory.numa_stat")});
    }
  }
  if (layout.pids() && set != CgroupFileSet::kMemory) {
    const std::string pids = layout.pids()->path_of(path);
    others.push_back({&files.tasks_, join_path(pids, "pids.current")});
    if (set == CgroupFileSet::kRoot) {
      others.push_back({&files.max_tasks_, join_path(pids, "pids.max")});
    }
  }
  for (Optional& other : others) {
    EVICTD_ASSIGN_OR_RETURN(*other.file, if_there(KeptFile::open(root, other.path)));
  }
  return files;
}

Result<> CgroupFiles::take_memory(Result<KeptFile> usage, Result<KeptFile> stat) {
  if (!usage || !stat) {
    return Failure(usage ? stat.error() : usage.error());
  }
  usage_ = std::move(*usage);
  stat_ = std::move(*stat);
  struct stat status = {};
  if (::fstat(usage_.fd(), &status) != 0) {
    return fail_errno(errno, "look at the file of charged bytes");
  }
  usage_inode_ = status.st_ino;
  return {};
}

Result<CgroupFiles> CgroupFiles::open_below(const Above& above, const std::string& path) {
  const MemoryNames names = names_of(above.version);
  CgroupFiles files;
  files.inactive_file_key_ = names.inactive_file;
  EVICTD_TRY(files.take_memory(KeptFile::open_below(above.memory, join_path(path, names.usage)),
                               KeptFile::open_below(above.memory, join_path(path, "memory.stat"))));
  if (above.pids >= 0) {
    EVICTD_ASSIGN_OR_RETURN(
        files.tasks_, if_there(KeptFile::open_below(above.pids, join_path(path, "pids.current"))));
  }
  return files;
}

ReadState CgroupFiles::read(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const {
  ReadState state = read_live(now, buffer, usage);
  if (state != ReadState::kRead) {
    return state;
  }
  const KeptText stat = stat_.read(buffer);
  const std::optional<std::int64_t> inactive =
      stat ? find_stat(stat.text, inactive_file_key_) : std::nullopt;
  if (!inactive) {
    usage.usage = Bytes{-1};
    return stat.gone() ? ReadState::kGone : ReadState::kFailed;
  }
  usage.inactive_file = Bytes{*inactive};
  // A limit that cannot be read leaves the other values valid: it stays "not read".
  usage.limit = read_limit(buffer);
  return ReadState::kRead;
}

ReadState CgroupFiles::read_live(MonoTime now, ReadBuffer& buffer, CgroupUsage& usage) const {
  usage = CgroupUsage{};
  usage.read_at = now;
  const ReadState state = read_number(usage_, buffer, usage.usage.value);
  if (state == ReadState::kRead && tasks_) {
    static_cast<void>(read_number(tasks_, buffer, usage.tasks));
  }
  return state;
}

Bytes CgroupFiles::read_usage(ReadBuffer& buffer) const {
  Bytes usage{-1};
  static_cast<void>(read_number(usage_, buffer, usage.value));
  return usage;
}

Bytes CgroupFiles::read_limit(ReadBuffer& buffer) const {
  Bytes limit{-1};
  if (limit_) {
    static_cast<void>(read_number(limit_, buffer, limit.value));
  }
  return limit;
}

std::int64_t CgroupFiles::read_max_tasks(ReadBuffer& buffer) const {
  std::int64_t value = -1;
  if (max_tasks_) {
    static_cast<void>(read_number(max_tasks_, buffer, value));
  }
  return value;
}

}  // namespace evictd::sys
