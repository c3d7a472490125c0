// SPDX-License-Identifier: Apache-2.0
#include "eviction/partial_disk.h"

#include <cstdint>
#include <limits>

#include "eviction/ranking.h"

namespace evictd::eviction {
namespace {

/// More than any filesystem has, in bytes or inodes.
constexpr Wide kAnyAmount = std::numeric_limits<std::int64_t>::max();

/// The key that the pod would have if so much were found of it.
RankKey key_at_most(const RankRule& rule, const PassPod& pod) {
  PodReading most = pod.reading;
  most.disk.root_bytes = kAnyAmount;
  most.disk.root_inodes = kAnyAmount;
  most.disk.log_bytes = kAnyAmount;
  most.disk.log_inodes = kAnyAmount;
  most.disk.volume_bytes = kAnyAmount;
  most.disk.volume_inodes = kAnyAmount;
  return rank_key(rule, *pod.facts, most);
}

}  // namespace

std::string_view to_string(DiskCount count) {
  switch (count) {
    case DiskCount::kWhole:
      return "whole";
    case DiskCount::kPart:
      return "part";
    case DiskCount::kNone:
      return "none";
  }
  return "";
}

DiskSupport support_of(const RankRule& rule, std::span<const PassPod> pods, std::size_t first) {
  const RankKey key = rank_key(rule, *pods[first].facts, pods[first].reading);
  bool certain = true;
  bool all_seen = true;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const PassPod& other = pods[i];
    if (i == first || other.disk_count == DiskCount::kWhole ||
        passed_over_by(rule, other) != PassOver::kNone) {
      continue;
    }
    // Of equals the one that comes first in the order of pods goes.
    const RankKey most = key_at_most(rule, other);
    if (most < key || (most == key && i < first)) {
      certain = false;
      all_seen = all_seen && other.disk_count != DiskCount::kNone;
    }
  }
  if (certain) {
    return DiskSupport::kCertain;
  }
  return all_seen && pods[first].disk_count == DiskCount::kPart ? DiskSupport::kPlausible
                                                                : DiskSupport::kOpen;
}

}  // namespace evictd::eviction
