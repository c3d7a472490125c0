// SPDX-License-Identifier: Apache-2.0
#include "engine/slot_index.h"

#include <bit>

namespace evictd::engine {

namespace {

constexpr int kHashBits = std::countr_zero(kMaxPods);
static_assert(std::has_single_bit(kMaxPods));

}  // namespace

/// Ids of cgroups are small and follow each other; the upper bits of the product differ all the
/// same.
std::size_t SlotIndex::chain_of(CgroupId id) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  const std::uint64_t both = id.id ^ (std::uint64_t{id.hierarchy} << 32);
  return static_cast<std::size_t>((both * kGoldenRatio) >> (64 - kHashBits));
}

std::uint16_t& SlotIndex::link_to(CgroupId id, std::uint16_t slot) {
  std::uint16_t* link = &first_[chain_of(id)];
  while (*link != slot && *link != kNone) {
    link = &next_[*link];
  }
  return *link;
}

void SlotIndex::add(CgroupId id, std::uint32_t slot) {
  link_to(id, kNone) = static_cast<std::uint16_t>(slot);
  next_[slot] = kNone;
}

void SlotIndex::remove(CgroupId id, std::uint32_t slot) {
  std::uint16_t& link = link_to(id, static_cast<std::uint16_t>(slot));
  if (link != kNone) {
    link = next_[slot];
  }
}

}  // namespace evictd::engine
