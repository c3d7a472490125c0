// SPDX-License-Identifier: Apache-2.0
#include "eviction/hold.h"

#include <algorithm>

#include "eviction/left_behind.h"

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

bool fell_further(const HoldQuestion& question) {
  const Wide enough = further_fall(question);
  return enough > 0 && Wide{question.mark->available} - question.seen.available >= enough;
}

}  // namespace

/// If less than half of the threshold was left, a quarter of it may exceed everything that can
/// still be taken: then half of what was left is enough.
Wide further_fall(const HoldQuestion& question) {
  if (!question.mark) {
    return 0;
  }
  const Wide four_steps = std::min(question.threshold, 2 * Wide{question.mark->available});
  return four_steps <= 0 ? 0 : (four_steps + 3) / 4;
}

bool has_standing(std::span<const PassPod> pods, Standing standing, Scope scope) {
  return std::any_of(pods.begin(), pods.end(), [&](const PassPod& pod) {
    return pod.standing == standing && frees_in(scope, pod.facts->below_pod_root);
  });
}

Wide pending_release(std::span<const ReleasingPod> pods, Resource resource, Scope scope,
                     MonoTime now) {
  Wide sum = 0;
  for (const ReleasingPod& pod : pods) {
    if (now - pod.killed_at < kReleaseWait && frees_in(scope, pod.below_pod_root)) {
      sum += freed_by(pod, resource);
    }
  }
  return sum;
}

std::optional<MonoTime> release_deadline(std::span<const ReleasingPod> pods, Scope scope,
                                         MonoTime now) {
  std::optional<MonoTime> first;
  for (const ReleasingPod& pod : pods) {
    const MonoTime end = pod.killed_at + kReleaseWait;
    if (frees_in(scope, pod.below_pod_root) && end > now && (!first || end < *first)) {
      first = end;
    }
  }
  return first;
}

Reason hold_reason(const HoldQuestion& question, const PassInput& input, MonoTime now) {
  if (has_standing(input.pods, Standing::kInHardGrace, question.scope) ||
      (!question.hard && has_standing(input.pods, Standing::kInSoftGrace, question.scope))) {
    return Reason::kVictimInGrace;
  }
  if (choice_beside_left(question, input, now) == Choice::kNobody) {
    return Reason::kReleasePending;
  }
  const Wide pending = pending_release(input.releasing, question.resource, question.scope, now);
  if (pending > 0 && is_of_disk(question.resource)) {
    return Reason::kReleasePending;
  }
  if (pending <= 0 || question.seen.available + pending < question.goal) {
    return Reason::kNone;
  }
  return fell_further(question) ? Reason::kNone : Reason::kReleasePending;
}

}  // namespace evictd::eviction
