// SPDX-License-Identifier: Apache-2.0
#include "sys/node_files.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "sys/kernel_text.h"

namespace evictd::sys {

namespace {

NodeMemorySource choose_source(const Root& root, const Hierarchy& memory) {
  switch (memory.version) {
    case CgroupVersion::kV1:
      return NodeMemorySource::kRootUsage;
    case CgroupVersion::kV2:
      return root.exists(memory.path_of("memory.stat")) ? NodeMemorySource::kRootStat
                                                        : NodeMemorySource::kMemFree;
  }
  return NodeMemorySource::kMemFree;
}

}  // namespace

std::string_view to_string(NodeMemorySource source) {
  switch (source) {
    case NodeMemorySource::kRootUsage:
      return "root memory.usage_in_bytes";
    case NodeMemorySource::kRootStat:
      return "root memory.stat anon+file";
    case NodeMemorySource::kMemFree:
      return "MemTotal-MemFree";
  }
  return "MemTotal-MemFree";
}

Result<NodeFiles> NodeFiles::open(const Root& root, const CgroupLayout& layout) {
  const Hierarchy& memory = layout.memory();
  NodeFiles files;
  files.memory_source_ = choose_source(root, memory);
  struct Wanted {
    KeptFile* file;
    std::string path;
  };
  std::vector<Wanted> wanted = {
      {&files.meminfo_, "/proc/meminfo"},
      {&files.loadavg_, "/proc/loadavg"},
      {&files.pid_max_, "/proc/sys/kernel/pid_max"},
      {&files.threads_max_, "/proc/sys/kernel/threads-max"},
  };
  if (files.memory_source_ == NodeMemorySource::kRootUsage) {
    wanted.push_back({&files.root_usage_, memory.path_of("memory.usage_in_bytes")});
  }
  if (files.memory_source_ != NodeMemorySource::kMemFree) {
    wanted.push_back({&files.root_stat_, memory.path_of("memory.stat")});
  }
  for (Wanted& one : wanted) {
    EVICTD_ASSIGN_OR_RETURN(*one.file, KeptFile::open(root, one.path));
  }
  return files;
}

bool NodeFiles::read_memory(ReadBuffer& buffer, NodeUsage& usage) const {
  const KeptText meminfo = meminfo_.read(buffer);
  const std::optional<Bytes> total = find_meminfo(meminfo.text, "MemTotal");
  if (!total) {
    return false;
  }
  usage.memory_total = *total;
  if (memory_source_ == NodeMemorySource::kMemFree) {
    const std::optional<Bytes> free = find_meminfo(meminfo.text, "MemFree");
    const std::optional<Bytes> inactive = find_meminfo(meminfo.text, "Inactive(file)");
    usage.usage = free ? *total - *free : Bytes{-1};
    usage.inactive_file = inactive.value_or(Bytes{-1});
    return free && inactive;
  }
  const KeptText stat = root_stat_.read(buffer);
  std::optional<std::int64_t> used;
  std::optional<std::int64_t> inactive;
  if (memory_source_ == NodeMemorySource::kRootStat) {
    const std::optional<std::int64_t> anon = find_stat(stat.text, "anon");
    const std::optional<std::int64_t> file = find_stat(stat.text, "file");
    used = anon && file ? std::optional(*anon + *file) : std::nullopt;
    inactive = find_stat(stat.text, "inactive_file");
  } else {
    inactive = find_stat(stat.text, "total_inactive_file");
    used = parse_single_number(root_usage_.read(buffer).text);
  }
  usage.usage = Bytes{used.value_or(-1)};
  usage.inactive_file = Bytes{inactive.value_or(-1)};
  return used && inactive;
}

std::optional<std::int64_t> NodeFiles::read_live_tasks(ReadBuffer& buffer) const {
  return parse_loadavg_tasks(loadavg_.read(buffer).text);
}

bool NodeFiles::read_tasks(ReadBuffer& buffer, NodeUsage& usage) const {
  const std::optional<std::int64_t> tasks = read_live_tasks(buffer);
  usage.tasks = tasks.value_or(-1);
  return read_max_pid(buffer, usage) == ReadState::kRead && tasks;
}

ReadState NodeFiles::read_max_pid(ReadBuffer& buffer, NodeUsage& usage) const {
  const std::optional<std::int64_t> pid_max = parse_single_number(pid_max_.read(buffer).text);
  const std::optional<std::int64_t> threads = parse_single_number(threads_max_.read(buffer).text);
  usage.max_pid = pid_max && threads ? std::min(*pid_max, *threads) : -1;
  return pid_max && threads ? ReadState::kRead : ReadState::kFailed;
}

void NodeFiles::read_meminfo(ReadBuffer& buffer, NodeUsage& usage) const {
  const KeptText meminfo = meminfo_.read(buffer);
  usage.mem_available = find_meminfo(meminfo.text, "MemAvailable").value_or(Bytes{-1});
  usage.swap_total = find_meminfo(meminfo.text, "SwapTotal").value_or(Bytes{-1});
  usage.swap_free = find_meminfo(meminfo.text, "SwapFree").value_or(Bytes{-1});
  usage.hugetlb = find_meminfo(meminfo.text, "Hugetlb").value_or(Bytes{-1});
  usage.mem_free = find_meminfo(meminfo.text, "MemFree").value_or(Bytes{-1});
  const std::optional<Bytes> active = find_meminfo(meminfo.text, "Active(file)");
  const std::optional<Bytes> inactive = find_meminfo(meminfo.text, "Inactive(file)");
  usage.file_pages = active && inactive ? *active + *inactive : Bytes{-1};
  const std::optional<Bytes> reclaimable = find_meminfo(meminfo.text, "KReclaimable");
  usage.reclaimable =
      reclaimable ? *reclaimable : find_meminfo(meminfo.text, "SReclaimable").value_or(Bytes{-1});
}

void NodeFiles::read_meminfo_pages(ReadBuffer& buffer, NodeUsage& usage) const {
  const KeptText meminfo = meminfo_.read(buffer);
  usage.inactive_file = find_meminfo(meminfo.text, "Inactive(file)").value_or(Bytes{-1});
  Bytes sum{0};
  for (const std::string_view key : {"Cached", "Buffers", "SwapCached", "AnonPages"}) {
    const std::optional<Bytes> pages = find_meminfo(meminfo.text, key);
    if (!pages) {
      usage.usage = Bytes{-1};
      return;
    }
    sum = sum + *pages;
  }
  usage.usage = sum;
}

ReadState NodeFiles::read_all_but_use(MonoTime now, ReadBuffer& buffer, NodeUsage& usage) const {
  usage = NodeUsage{};
  usage.read_at = now;
  const KeptText meminfo = meminfo_.read(buffer);
  const std::optional<Bytes> total = find_meminfo(meminfo.text, "MemTotal");
  usage.memory_total = total.value_or(Bytes{-1});
  usage.mem_available = find_meminfo(meminfo.text, "MemAvailable").value_or(Bytes{-1});
  return read_tasks(buffer, usage) && total ? ReadState::kRead : ReadState::kFailed;
}

ReadState NodeFiles::read(MonoTime now, ReadBuffer& buffer, NodeUsage& usage) const {
  usage = NodeUsage{};
  usage.read_at = now;
  const bool memory = read_memory(buffer, usage);
  const bool tasks = read_tasks(buffer, usage);
  return memory && tasks ? ReadState::kRead : ReadState::kFailed;
}

}  // namespace evictd::sys
