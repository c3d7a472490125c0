// SPDX-License-Identifier: Apache-2.0
#include "enforce/process_lister.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fd.h"

namespace evictd::enforce {

namespace {

/// One read of cgroup.procs: 2,000 processes with pids of seven digits.
constexpr std::size_t kTextBytes = 16384;

/// One read of a directory while walking; a level each, on the stack. A name has at most 255 bytes.
constexpr std::size_t kEntriesBytes = 1024;

/// How deep below a pod's known cgroups the walk goes: 64 KiB of stack.
constexpr int kDeepestWalk = 64;

/// What getdents64 fills in. Source: getdents(2).
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
};
constexpr std::size_t kEntryName = 19;

void add_pid(pid_t pid, ProcessList& list) {
  if (pid == 0) {
    return;  // Lives in a pid namespace invisible to evictd.
  }
  if (pid == 1 || pid == list.self) {
    list.holds_protected = true;
  }
  if (list.pids.size() == list.pids.capacity()) {
    list.truncated = true;
    return;
  }
  list.pids.push_back(pid);
}

/// A process is listed once in every hierarchy.
void sort_and_unite(ProcessList& list) {
  std::sort(list.pids.begin(), list.pids.end());
  list.pids.erase(std::unique(list.pids.begin(), list.pids.end()), list.pids.end());
}

/// The kernel fills a page as far as it can before it answers, so that less than half of one is
/// the end of the file. Source: seq_read_iter.
constexpr ssize_t kSurelyLast = 2048;

/// A number in the making. No pid has more digits than the largest that is possible, 4194304.
struct Digits {
  static constexpr pid_t kLargest = 1 << 22;

  void take(char c, ProcessList& list) {
    if (c >= '0' && c <= '9') {
      pid = std::min(pid, kLargest) * 10 + (c - '0');
      in_number = true;
    } else if (in_number) {
      add_pid(pid, list);
      pid = 0;
      in_number = false;
    }
  }

  pid_t pid = 0;
  bool in_number = false;
};

/// What a failed reading of cgroup.procs means.
ProcsRead end_of(int error) {
  switch (error) {
    case ENODEV:
      return ProcsRead::kGone;
    case EOPNOTSUPP:
      return ProcsRead::kWhole;  // Threaded: the cgroup above it lists its processes.
    default:
      return ProcsRead::kFailed;
  }
}

}  // namespace

ProcsRead read_procs(int fd, std::span<char> text, ProcessList& list) {
  off_t offset = 0;
  Digits digits;
  while (true) {
    const ssize_t length = ::pread(fd, text.data(), text.size(), offset);
    if (length < 0) {
      return end_of(errno);
    }
    offset += length;
    for (const char c : text.first(static_cast<std::size_t>(length))) {
      digits.take(c, list);
    }
    if (length < kSurelyLast) {
      return ProcsRead::kWhole;
    }
  }
}

bool ProcessList::contains(pid_t pid) const {
  return std::binary_search(pids.begin(), pids.end(), pid);
}

void ProcessList::clear() {
  pids.clear();
  truncated = false;
  unread = false;
  walked = false;
  holds_protected = false;
}

ProcessLister::ProcessLister(ActuatorCounters& counters) : counters_(counters), text_(kTextBytes) {}

void ProcessLister::read(KillTarget& target, ListScope scope, ProcessList& list) {
  read_known(target, scope, list);
  find_unknown(target, scope, list);
  sort_and_unite(list);
}

void ProcessLister::read_known(KillTarget& target, ListScope scope, ProcessList& list) {
  list.clear();
  for (TargetCgroup& cgroup : target.cgroups_) {
    if (cgroup.removed || !target.in_scope(cgroup, scope)) {
      continue;
    }
    const std::size_t before = list.pids.size();
    const bool unread_before = std::exchange(list.unread, false);
    if (!read_cgroup(cgroup, list)) {
      cgroup.removed = true;
      TargetCgroup& parent = target.cgroups_[cgroup.parent];
      parent.known_children -= parent.known_children > 0 ? 1 : 0;
    }
    // An unread cgroup may have processes.
    cgroup.had_processes = list.pids.size() > before || list.truncated || list.unread;
    list.unread = list.unread || unread_before;
  }
  sort_and_unite(list);
}

void ProcessLister::read_again(KillTarget& target, ListScope scope, ProcessList& list) {
  list.clear();
  for (TargetCgroup& cgroup : target.cgroups_) {
    if (cgroup.had_processes && !cgroup.removed && target.in_scope(cgroup, scope)) {
      static_cast<void>(read_cgroup(cgroup, list));
    }
  }
  sort_and_unite(list);
}

void ProcessLister::find_unknown(KillTarget& target, ListScope scope, ProcessList& list) {
  for (const TargetCgroup& cgroup : target.cgroups_) {
    if (cgroup.removed || !target.in_scope(cgroup, scope)) {
      continue;
    }
    if (cgroup.count_children().value_or(0) > cgroup.known_children) {
      list.walked = true;
      ++counters_.walks;
      const base::Fd dir = cgroup.open_directory();
      walk(target, cgroup.id, dir.get(), 0, list);
    }
  }
}

bool ProcessLister::read_cgroup(TargetCgroup& cgroup, ProcessList& list) {
  if (cgroup.procs_read == kFreshProcs || !cgroup.procs[cgroup.procs_read]) {
    ++counters_.reopened_procs;
    return read_by_path(cgroup, list);
  }
  if (cgroup.kind == HierarchyKind::kV2) {
    return read_file(cgroup.procs[0].get(), list);
  }
  return read_file(cgroup.procs[cgroup.procs_read++].get(), list);
}

bool ProcessLister::read_file(int fd, ProcessList& list) {
  switch (read_procs(fd, text_, list)) {
    case ProcsRead::kWhole:
      return true;
    case ProcsRead::kGone:
      return false;
    case ProcsRead::kFailed:
      return mark_unread(list);
  }
  return true;
}

/// True: it is not gone.
bool ProcessLister::mark_unread(ProcessList& list) {
  ++counters_.failed_calls;
  list.unread = true;
  return true;
}

bool ProcessLister::read_by_path(const TargetCgroup& cgroup, ProcessList& list) {
  const base::Fd dir = cgroup.open_directory();
  if (!dir) {
    return errno != ENOENT && mark_unread(list);
  }
  return read_directory(dir.get(), list);
}

bool ProcessLister::read_directory(int dir, ProcessList& list) {
  const base::Fd procs(::openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC));
  if (!procs) {
    return errno != ENOENT && errno != ENODEV && mark_unread(list);
  }
  return read_file(procs.get(), list);
}

void ProcessLister::walk(const KillTarget& target, CgroupId above, int dir, int depth,
                         ProcessList& list) {
  // A separate descriptor, so that the reading starts at the first entry.
  const base::Fd listing(::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing || depth == kDeepestWalk) {
    static_cast<void>(mark_unread(list));
    return;
  }
  alignas(KernelEntry) std::array<char, kEntriesBytes> entries{};
  while (true) {
    const long bytes = ::syscall(SYS_getdents64, listing.get(), entries.data(), entries.size());
    if (bytes < 0 && errno != ENOENT) {
      static_cast<void>(mark_unread(list));
    }
    if (bytes <= 0) {
      return;
    }
    for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
      KernelEntry entry{};
      std::memcpy(&entry, entries.data() + at, kEntryName);
      const char* name = entries.data() + at + kEntryName;
      at += entry.length;
      const CgroupId id{.hierarchy = above.hierarchy, .id = entry.inode};
      if (entry.type != DT_DIR || name[0] == '.' || target.holds(id)) {
        continue;
      }
      const base::Fd child(
          ::openat(listing.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!child && errno != ENOENT) {
        static_cast<void>(mark_unread(list));
      }
      if (child && read_directory(child.get(), list)) {
        walk(target, id, child.get(), depth + 1, list);
      }
    }
  }
}

bool list_again(const KillTarget& target, ProcessList& list, const std::function<bool()>& enough) {
  ActuatorCounters counters;
  ProcessLister lister(counters);
  list.clear();
  // A cgroup comes after its parent.
  const bool stopped = std::any_of(target.cgroups_.rbegin(), target.cgroups_.rend(),
                                   [&](const TargetCgroup& cgroup) {
                                     static_cast<void>(lister.read_by_path(cgroup, list));
                                     return enough && enough();
                                   });
  if (!stopped) {
    sort_and_unite(list);
  }
  return !stopped;
}

}  // namespace evictd::enforce
