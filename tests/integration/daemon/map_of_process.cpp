// SPDX-License-Identifier: Apache-2.0
#include "map_of_process.h"

#include <bpf/btf.h>
#include <linux/bpf.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

/// Of a map that this descriptor is of. Source: /proc/PID/fdinfo/FD.
std::optional<std::uint32_t> map_id_in(std::string_view fdinfo) {
  constexpr std::string_view kKey = "\nmap_id:\t";
  const std::size_t at = fdinfo.find(kKey);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::stoul(std::string(fdinfo.substr(at + kKey.size()))));
}

}  // namespace

Result<MapOfProcess> MapOfProcess::open(pid_t process, const std::string& name) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/fdinfo";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::optional<std::uint32_t> id =
        map_id_in(stage::read_text(entry.path()).value_or(std::string{}));
    if (!id) {
      continue;
    }
    MapOfProcess map;
    map.fd_.reset(bpf_map_get_fd_by_id(*id));
    bpf_map_info info{};
    std::uint32_t bytes = sizeof(info);
    if (!map.fd_ || bpf_obj_get_info_by_fd(map.fd_.get(), &info, &bytes) != 0) {
      return fail_errno(errno, "open BPF map " + std::to_string(*id));
    }
    if (name == static_cast<const char*>(info.name)) {
      map.entries_ = info.max_entries;
      map.value_bytes_ = info.value_size;
      map.types_ = info.btf_id;
      return map;
    }
  }
  return fail(Errc::kNotFound,
              "process " + std::to_string(process) + " has no BPF map " + name + " open");
}

Result<std::size_t> MapOfProcess::offset_of(const char* name) const {
  const std::unique_ptr<btf, decltype(&btf__free)> types{btf__load_from_kernel_by_id(types_),
                                                         btf__free};
  const int id = types ? btf__find_by_name_kind(types.get(), ".bss", BTF_KIND_DATASEC) : -1;
  if (id < 0) {
    return fail(Errc::kNotFound, "the BPF map has no variables");
  }
  const btf_type* const section = btf__type_by_id(types.get(), static_cast<std::uint32_t>(id));
  const btf_var_secinfo* variable = btf_var_secinfos(section);
  for (int i = 0; i < btf_vlen(section); ++i, ++variable) {
    const btf_type* const type = btf__type_by_id(types.get(), variable->type);
    if (std::string_view(btf__name_by_offset(types.get(), type->name_off)) == name) {
      return variable->offset;
    }
  }
  return fail(Errc::kNotFound, std::string("the BPF map has no variable ") + name);
}

}  // namespace evictd::daemon::test
