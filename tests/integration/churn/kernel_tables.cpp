// SPDX-License-Identifier: Apache-2.0
#include "kernel_tables.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "evictd/try.h"
#include "process_facts.h"
#include "stage/text_file.h"

namespace evictd::churn {
namespace {

struct FreeBtf {
  void operator()(btf* types) const { btf__free(types); }
};

/// The maps that evictd has open.
std::set<std::uint32_t> map_ids(pid_t evictd) {
  std::set<std::uint32_t> ids;
  std::error_code ignored;
  const std::filesystem::path folder = "/proc/" + std::to_string(evictd) + "/fdinfo";
  for (std::filesystem::directory_iterator entry{folder, ignored}, end; entry != end;
       entry.increment(ignored)) {
    const std::string text = stage::read_text(entry->path()).value_or(std::string{});
    const Result<std::int64_t> id = number_of(text, "map_id");
    if (id) {
      ids.insert(static_cast<std::uint32_t>(*id));
    }
  }
  return ids;
}

/// Where the variable `name` begins in the data section `section`; nothing if it has none.
Result<std::size_t> offset_in(const btf& types, const char* section, const char* name) {
  const int id = btf__find_by_name_kind(&types, section, BTF_KIND_DATASEC);
  if (id < 0) {
    return fail(Errc::kNotFound, std::string("no section ") + section);
  }
  const btf_type* data = btf__type_by_id(&types, static_cast<std::uint32_t>(id));
  const btf_var_secinfo* variable = btf_var_secinfos(data);
  for (int i = 0; i < btf_vlen(data); ++i, ++variable) {
    const btf_type* type = btf__type_by_id(&types, variable->type);
    if (std::strcmp(btf__name_by_offset(&types, type->name_off), name) == 0) {
      return variable->offset;
    }
  }
  return fail(Errc::kNotFound, std::string("no variable ") + name);
}

}  // namespace

Result<> KernelTables::add(std::uint32_t id) {
  base::Fd fd{bpf_map_get_fd_by_id(id)};
  bpf_map_info info{};
  std::uint32_t bytes = sizeof(info);
  if (!fd || bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) != 0) {
    return fail_errno(errno, "open BPF map " + std::to_string(id));
  }
  maps_.insert_or_assign(
      static_cast<const char*>(info.name),
      Map{std::move(fd), info.type, info.key_size, info.value_size, info.max_entries, info.btf_id});
  return {};
}

Result<> KernelTables::find_stats() {
  for (const auto& [name, map] : maps_) {
    if (!name.ends_with(".bss") || map.btf == 0) {
      continue;
    }
    const std::unique_ptr<btf, FreeBtf> types{btf__load_from_kernel_by_id(map.btf)};
    if (types == nullptr) {
      return fail_errno(errno, "read the types of " + name);
    }
    EVICTD_ASSIGN_OR_RETURN(const std::size_t offset, offset_in(*types, ".bss", "stats"));
    variables_ = name;
    stats_offset_ = offset;
    return {};
  }
  return fail(Errc::kNotFound, "evictd has no map of variables");
}

Result<KernelTables> KernelTables::of(pid_t evictd) {
  KernelTables tables;
  for (const std::uint32_t id : map_ids(evictd)) {
    EVICTD_TRY(tables.add(id));
  }
  for (const char* name : {"cgroups", "counters", "roots", "rows", "stalls", "targets"}) {
    if (!tables.maps_.contains(name)) {
      return fail(Errc::kNotFound, std::string("evictd has no BPF map ") + name);
    }
  }
  EVICTD_TRY(tables.find_stats());
  return tables;
}

Result<std::map<std::string, std::size_t>> KernelTables::entries() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, map] : maps_) {
    if (map.type != BPF_MAP_TYPE_HASH) {
      continue;
    }
    std::size_t& count = counts[name];
    std::vector<std::byte> key(map.key_bytes);
    const void* before = nullptr;
    while (bpf_map_get_next_key(map.fd.get(), before, key.data()) == 0) {
      ++count;
      before = key.data();
    }
    if (errno != ENOENT) {
      return fail_errno(errno, "walk through " + name);
    }
  }
  return counts;
}

Result<std::vector<std::byte>> KernelTables::values_of(const std::string& name) const {
  const Map& map = maps_.at(name);
  std::vector<std::byte> values(std::size_t{map.value_bytes} * map.size);
  std::vector<std::uint32_t> keys(map.size);
  std::uint32_t last = 0;
  std::uint32_t count = map.size;
  // ENOENT: the end of the map was reached.
  if (bpf_map_lookup_batch(map.fd.get(), nullptr, &last, keys.data(), values.data(), &count,
                           nullptr) != 0 &&
      errno != ENOENT) {
    return fail_errno(errno, "read " + name);
  }
  return values;
}

Result<std::map<std::uint64_t, WatchedSlot>> KernelTables::slots() const {
  const Result<std::vector<std::byte>> targets = values_of("targets");
  const Result<std::vector<std::byte>> rows = values_of("rows");
  if (!targets || !rows) {
    return tl::unexpected(!targets ? targets.error() : rows.error());
  }
  std::map<std::uint64_t, WatchedSlot> found;
  for (std::size_t i = 0; (i + 1) * sizeof(evictd_target) <= targets->size(); ++i) {
    WatchedSlot slot{};
    std::memcpy(&slot.target, targets->data() + i * sizeof(evictd_target), sizeof(evictd_target));
    std::memcpy(&slot.row, rows->data() + i * sizeof(evictd_row), sizeof(evictd_row));
    if (slot.target.memory_id != 0) {
      found[slot.target.memory_id] = slot;
    }
  }
  return found;
}

Result<evictd_stats> KernelTables::stats() const {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<std::byte> variables, values_of(variables_));
  evictd_stats stats{};
  std::memcpy(&stats, variables.data() + stats_offset_, sizeof(stats));
  return stats;
}

}  // namespace evictd::churn
