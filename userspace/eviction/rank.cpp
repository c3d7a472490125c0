// SPDX-License-Identifier: Apache-2.0
#include "eviction/rank.h"

namespace evictd::eviction {
namespace {

constexpr Wide kNanosPerUnit = 1'000'000'000;

MeasuredParts measured_parts(Signal signal, DiskLayout layout) {
  if (!layout.dedicated_image_fs) {
    return {.root = true, .logs = true, .volumes = true};
  }
  const MeasuredParts images_alone{};
  const MeasuredParts writable_layers{.root = true, .logs = false, .volumes = false};
  const MeasuredParts pods_own{.root = false, .logs = true, .volumes = true};
  const MeasuredParts everything{.root = true, .logs = true, .volumes = true};
  switch (signal) {
    case Signal::kNodeFsAvailable:
    case Signal::kNodeFsInodesFree:
      return layout.split_container_fs ? everything : pods_own;
    case Signal::kImageFsAvailable:
    case Signal::kImageFsInodesFree:
      return layout.split_container_fs ? images_alone : writable_layers;
    case Signal::kContainerFsAvailable:
    case Signal::kContainerFsInodesFree:
      return layout.split_container_fs ? everything : writable_layers;
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kMemoryAvailable:
    case Signal::kPidAvailable:
    case Signal::kUnknown:
      return {};
  }
  return {};
}

}  // namespace

RankRule rank_rule(Signal signal, DiskLayout layout, Scope pid_scope) {
  return {resource_of(signal), measured_parts(signal, layout), scope_of(signal, pid_scope)};
}

Wide measured_usage(const RankRule& rule, const PodReading& reading) {
  const DiskReading& disk = reading.disk;
  const MeasuredParts& parts = rule.parts;
  switch (rule.resource) {
    case Resource::kMemory:
      return reading.working_set_bytes;
    case Resource::kPids:
      return reading.processes;
    case Resource::kEphemeralStorage:
      return (parts.root ? disk.root_bytes : 0) + (parts.logs ? disk.log_bytes : 0) +
             (parts.volumes ? disk.volume_bytes : 0);
    case Resource::kInodes:
      return (parts.root ? disk.root_inodes : 0) + (parts.logs ? disk.log_inodes : 0) +
             (parts.volumes ? disk.volume_inodes : 0);
    case Resource::kNone:
      return 0;
  }
  return 0;
}

Wide request_nanos(const RankRule& rule, const PodFacts& facts) {
  switch (rule.resource) {
    case Resource::kEphemeralStorage:
    case Resource::kInodes:  // the kubelet takes bytes from a count of inodes here
      return facts.ephemeral_request_nanos;
    case Resource::kMemory:
      return facts.memory_request_nanos;
    case Resource::kPids:
    case Resource::kNone:
      return 0;
  }
  return 0;
}

RankKey rank_key(const RankRule& rule, const PodFacts& facts, const PodReading& reading) {
  RankKey key;
  key.priority = facts.priority;
  const bool missing = reading.state == ReadingState::kAbsent;
  if (rule.resource == Resource::kPids) {
    key.missing = missing ? -1 : 0;
    key.amount = missing ? 0 : measured_usage(rule, reading);
    return key;
  }
  if (missing) {
    key.urgency = -2;
    return key;
  }
  const Wide usage = measured_usage(rule, reading) * kNanosPerUnit;
  key.amount = usage - request_nanos(rule, facts);
  // Inodes exceed a request for inodes, which hardly anybody has, although what is subtracted for
  // the order among pods is a request in bytes. That is the kubelet's.
  const bool exceeds =
      rule.resource == Resource::kInodes ? usage > facts.inode_request_nanos : key.amount > 0;
  key.urgency = exceeds ? -1 : 0;
  return key;
}

}  // namespace evictd::eviction
