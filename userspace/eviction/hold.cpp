// SPDX-License-Identifier: Apache-2.0
#include "eviction/hold.h"

#include <algorithm>

namespace evictd::eviction {
namespace {

std::int64_t freed_by(const ReleasingPod& pod, Resource resource) {
  switch (resource) {
    case Resource::kMemory:
      return pod.memory.value;
    case Resource::kPids:
      return pod.tasks;
    case Resource::kEphemeralStorage:
      return pod.disk.value;
    case Resource::kInodes:
      return pod.inodes;
    case Resource::kNone:
      return 0;
  }
  return 0;
}

bool is_of_disk(Resource resource) {
  return resource == Resource::kEphemeralStorage || resource == Resource::kInodes;
}

bool has_standing(const PassInput& input, Standing standing) {
  return std::any_of(input.pods.begin(), input.pods.end(),
                     [&](const PassPod& pod) { return pod.standing == standing; });
}

}  // namespace

Wide pending_release(std::span<const ReleasingPod> pods, Resource resource, MonoTime now) {
  Wide sum = 0;
  for (const ReleasingPod& pod : pods) {
    if (now - pod.killed_at < kReleaseWait) {
      sum += freed_by(pod, resource);
    }
  }
  return sum;
}

std::optional<MonoTime> release_deadline(std::span<const ReleasingPod> pods, MonoTime now) {
  std::optional<MonoTime> first;
  for (const ReleasingPod& pod : pods) {
    const MonoTime end = pod.killed_at + kReleaseWait;
    if (end > now && (!first || end < *first)) {
      first = end;
    }
  }
  return first;
}

Reason hold_reason(const HoldQuestion& question, const PassInput& input, MonoTime now) {
  if (has_standing(input, Standing::kInHardGrace) ||
      (!question.hard && has_standing(input, Standing::kInSoftGrace))) {
    return Reason::kVictimInGrace;
  }
  const Wide pending = pending_release(input.releasing, question.resource, now);
  if (pending > 0 && is_of_disk(question.resource)) {
    return Reason::kReleasePending;
  }
  if (pending <= 0 || question.seen.available + pending < question.goal) {
    return Reason::kNone;
  }
  const bool fell_further =
      question.mark &&
      (Wide{question.mark->available} - question.seen.available) * 4 >= question.threshold;
  return fell_further ? Reason::kNone : Reason::kReleasePending;
}

}  // namespace evictd::eviction
