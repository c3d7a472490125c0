// SPDX-License-Identifier: Apache-2.0
#include "probe/direct_reads.h"

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

}  // namespace

Feature DirectReads::feature() const {
  if (number_type != 0) {
    return {.name = "direct reads", .presence = Presence::kPresent, .detail = "bpf_rdonly_cast"};
  }
  return {.name = "direct reads",
          .presence = Presence::kAbsent,
          .detail = "no bpf_rdonly_cast: counters are read by a function, which takes longer"};
}

DirectReads find_direct_reads(const std::string& path) {
  const LibbpfLog silent;
  const std::unique_ptr<btf, BtfDeleter> types(btf__parse_raw(path.c_str()));
  if (!types || btf__find_by_name_kind(types.get(), "bpf_rdonly_cast", BTF_KIND_FUNC) <= 0) {
    return {};
  }
  const int id = btf__find_by_name_kind(types.get(), kNumberType, BTF_KIND_STRUCT);
  const bool usable = id > 0 && begins_with_number(*types, static_cast<std::uint32_t>(id));
  return {.number_type = usable ? static_cast<std::uint32_t>(id) : 0};
}

}  // namespace evictd::probe
