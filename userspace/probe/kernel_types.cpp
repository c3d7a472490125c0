// SPDX-License-Identifier: Apache-2.0
#include "probe/kernel_types.h"

#include <bpf/btf.h>

#include <memory>

#include "probe/libbpf_log.h"

namespace evictd::probe {
namespace {

/// Begins with its seconds, a signed 64-bit integer, in every kernel since 3.17.
constexpr const char* kNumberType = "timespec64";

struct BtfDeleter {
  void operator()(btf* types) const { btf__free(types); }
};

/// Whether the verifier takes eight bytes at the start of structure `id` for a plain number.
bool begins_with_number(const btf& types, std::uint32_t id) {
  const btf_type* structure = btf__type_by_id(&types, id);
  if (structure == nullptr || btf_vlen(structure) == 0 ||
      btf_member_bit_offset(structure, 0) != 0) {
    return false;
  }
  const int first = btf__resolve_type(&types, btf_members(structure)->type);
  const btf_type* number =
      first > 0 ? btf__type_by_id(&types, static_cast<std::uint32_t>(first)) : nullptr;
  return number != nullptr && btf_is_int(number) && number->size == sizeof(std::uint64_t);
}

bool has_function(const btf& types, const char* name) {
  return btf__find_by_name_kind(&types, name, BTF_KIND_FUNC) > 0;
}

std::uint32_t number_type_of(const btf& types) {
  if (!has_function(types, "bpf_rdonly_cast")) {
    return 0;
  }
  const int id = btf__find_by_name_kind(&types, kNumberType, BTF_KIND_STRUCT);
  const bool usable = id > 0 && begins_with_number(types, static_cast<std::uint32_t>(id));
  return usable ? static_cast<std::uint32_t>(id) : 0;
}

}  // namespace

Feature KernelTypes::direct_reads() const {
  if (number_type != 0) {
    return {.name = "direct reads", .presence = Presence::kPresent, .detail = "bpf_rdonly_cast"};
  }
  return {.name = "direct reads",
          .presence = Presence::kAbsent,
          .detail = "no bpf_rdonly_cast: counters are read by function calls, which are slower"};
}

Feature KernelTypes::programs() const {
  if (cgroup_iterators) {
    return {.name = "cgroup iterators", .presence = Presence::kPresent, .detail = ""};
  }
  return {.name = "cgroup iterators",
          .presence = Presence::kAbsent,
          .detail = "before 6.1: the kernel programs with bounded loops and without a timer"};
}

KernelTypes find_kernel_types(const std::string& path) {
  const LibbpfLog silent;
  const std::unique_ptr<btf, BtfDeleter> types(btf__parse_raw(path.c_str()));
  if (!types) {
    return {};
  }
  return {.number_type = number_type_of(*types),
          .cgroup_iterators =
              btf__find_by_name_kind(types.get(), "bpf_iter__cgroup", BTF_KIND_STRUCT) > 0,
          .signals_tasks = has_function(*types, "bpf_send_signal_task") &&
                           has_function(*types, "bpf_task_from_pid")};
}

}  // namespace evictd::probe
