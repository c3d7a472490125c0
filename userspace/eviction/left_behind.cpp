// SPDX-License-Identifier: Apache-2.0
#include "eviction/left_behind.h"

#include <algorithm>

#include "eviction/ranking.h"

namespace evictd::eviction {
namespace {

/// Growth of a pod that may not be evicted does not count.
bool counts(const PassPod& pod, Scope scope) {
  return protection_of(pod) == PassOver::kNone && pod.grown.value > 0 &&
         frees_in(scope, pod.facts->below_pod_root);
}

/// What live pods have taken since the wait began.
Wide growth(std::span<const PassPod> pods, Scope scope) {
  Wide sum = 0;
  for (const PassPod& pod : pods) {
    sum += counts(pod, scope) ? pod.grown.value : 0;
  }
  return sum;
}

/// Whether less than the floor is left because live pods have grown. If less was left already when
/// the wait began, or if their growth does not explain the shortage, they must have taken as much
/// as ends any other hold.
bool somebody_takes_the_rest(const HoldQuestion& question, std::span<const PassPod> pods) {
  const Wide left{question.seen.left()};
  if (!question.hard || left >= question.floor) {
    return false;
  }
  const Wide grown = growth(pods, question.scope);
  const bool was_above = !question.mark || Wide{question.mark->available} >= question.floor;
  if (was_above && grown >= question.floor - left) {
    return true;
  }
  const Wide fall = further_fall(question);
  return fall > 0 && Wide{question.mark->available} - left >= fall && grown >= fall;
}

}  // namespace

Choice choice_beside_left(const HoldQuestion& question, const PassInput& input, MonoTime now) {
  if (question.resource != Resource::kMemory) {
    return Choice::kAnybody;
  }
  Wide left = 0;
  bool awaited = false;
  for (const ReleasingPod& pod : input.releasing) {
    if (pod.left.value > 0 && frees_in(question.scope, pod.below_pod_root)) {
      left += pod.left.value;
      awaited = awaited || now - pod.killed_at < kReleaseWait;
    }
  }
  if (awaited) {
    return question.mark && somebody_takes_the_rest(question, input.pods) ? Choice::kGrower
                                                                          : Choice::kNobody;
  }
  const Wide missing = question.goal - question.seen.available;
  if (left <= missing || left == 0) {
    return Choice::kAnybody;
  }
  return somebody_takes_the_rest(question, input.pods) ? Choice::kGrower : Choice::kAboveRequest;
}

std::optional<std::size_t> grower(std::span<const PassPod> pods, Scope scope) {
  std::optional<std::size_t> most;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (counts(pods[i], scope) && (!most || pods[i].grown > pods[*most].grown)) {
      most = i;
    }
  }
  return most;
}

Chosen::Chosen(Choice choice, const RankRule& rule, std::span<const PassPod> pods)
    : choice_(choice), rule_(rule) {
  const std::optional<std::size_t> most =
      choice == Choice::kGrower ? grower(pods, rule.scope) : std::nullopt;
  grown_ = most ? &pods[*most] : nullptr;
}

bool Chosen::may_go(const PassPod& pod) const {
  switch (choice_) {
    case Choice::kAnybody:
      return true;
    case Choice::kNobody:
      return false;
    case Choice::kGrower:
      return &pod == grown_;
    case Choice::kAboveRequest:
      // A victim in its soft grace period dies anyway.
      return pod.standing == Standing::kInSoftGrace ||
             rank_key(rule_, *pod.facts, pod.reading).urgency < 0;
  }
  return true;
}

}  // namespace evictd::eviction
