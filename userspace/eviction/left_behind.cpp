// SPDX-License-Identifier: Apache-2.0
#include "eviction/left_behind.h"

#include <algorithm>

#include "eviction/ranking.h"

namespace evictd::eviction {
namespace {

/// Who may not be evicted is no answer to what it takes.
bool counts(const PassPod& pod, Scope scope) {
  return protection_of(pod) == PassOver::kNone && pod.grown.value > 0 &&
         frees_in(scope, pod.facts->below_pod_root);
}

/// What pods that live have taken since the wait began.
Wide growth(std::span<const PassPod> pods, Scope scope) {
  Wide sum = 0;
  for (const PassPod& pod : pods) {
    sum += counts(pod, scope) ? pod.grown.value : 0;
  }
  return sum;
}

/// Less than this, and whoever has taken the rest is judged.
Wide level(const HoldQuestion& question) {
  const Wide began_at{question.mark->available};
  return began_at >= question.floor ? question.floor : began_at - further_fall(question);
}

/// Whether what is missing to `level` was taken by pods that live.
bool is_taken(const HoldQuestion& question, Wide level, std::span<const PassPod> pods) {
  const Wide missing = level - question.seen.left();
  return question.hard && missing > 0 && growth(pods, question.scope) >= missing;
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
    return question.mark && is_taken(question, level(question), input.pods) ? Choice::kGrower
                                                                            : Choice::kNobody;
  }
  const Wide missing = question.goal - question.seen.available;
  if (left <= missing || left == 0) {
    return Choice::kAnybody;
  }
  return is_taken(question, question.floor, input.pods) ? Choice::kGrower : Choice::kAboveRequest;
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
      // One in its soft grace dies anyway.
      return pod.standing == Standing::kInSoftGrace ||
             rank_key(rule_, *pod.facts, pod.reading).urgency < 0;
  }
  return true;
}

}  // namespace evictd::eviction
