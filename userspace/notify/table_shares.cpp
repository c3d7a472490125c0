// SPDX-License-Identifier: Apache-2.0
#include "notify/table_shares.h"

#include <algorithm>
#include <cerrno>
#include <span>

namespace evictd::notify {
namespace {

constexpr std::size_t kRowParts = 8;
constexpr std::size_t kRowPartsOfOthers = 6;
constexpr std::size_t kEdgeParts = 64;
constexpr std::size_t kEdgePartsOfOthers = 16;

/// The edges of one listener whose thresholds are not shared.
std::size_t edges_of(const Terms& terms) {
  return terms.hysteresis == 0 ? 1 : 2;
}

/// The minimum for one listener.
std::size_t parts_of(std::size_t all, std::size_t parts, std::size_t count) {
  return std::max<std::size_t>(all / parts * count, 2);
}

}  // namespace

TableShares::TableShares(BackendRoom room)
    : rows_(ShareLimits{.root = ShareLimits::kAll,
                        .user = parts_of(room.rows, kRowParts, 1),
                        .others = parts_of(room.rows, kRowParts, kRowPartsOfOthers)}),
      most_edges_of_one_(parts_of(room.edges, kEdgeParts, 1)),
      most_edges_of_others_(parts_of(room.edges, kEdgeParts, kEdgePartsOfOthers)) {}

int TableShares::check(uid_t owner, const LevelKey& key, const Terms& terms) const {
  if (owner == 0) {
    return 0;
  }
  const auto own = edges_.find(owner);
  const std::size_t edges = edges_of(terms);
  if ((own == edges_.end() ? 0 : own->second) + edges > most_edges_of_one_) {
    return EDQUOT;
  }
  if (edges_of_others_ + edges > most_edges_of_others_) {
    return ENOSPC;
  }
  return rows_.check(owner, std::span(&key, 1));
}

void TableShares::add(const Registration& registration) {
  if (registration.owner == 0) {
    return;
  }
  const std::size_t edges = edges_of(registration.terms);
  edges_[registration.owner] += edges;
  edges_of_others_ += edges;
  rows_.add(registration.owner, registration.key);
}

void TableShares::remove(const Registration& registration) {
  const auto own = edges_.find(registration.owner);
  if (own == edges_.end()) {
    return;
  }
  const std::size_t edges = edges_of(registration.terms);
  edges_of_others_ -= edges;
  own->second -= edges;
  if (own->second == 0) {
    edges_.erase(own);
  }
  rows_.remove(registration.owner, registration.key);
}

}  // namespace evictd::notify
