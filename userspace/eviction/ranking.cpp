// SPDX-License-Identifier: Apache-2.0
#include "eviction/ranking.h"

#include <algorithm>
#include <utility>

#include "eviction/left_behind.h"

namespace evictd::eviction {

std::string_view to_string(PassOver rule) {
  switch (rule) {
    case PassOver::kNone:
      return "";
    case PassOver::kStatic:
      return "static";
    case PassOver::kMirror:
      return "mirror";
    case PassOver::kCritical:
      return "critical";
    case PassOver::kNeverEvict:
      return "never_evict";
    case PassOver::kUnknown:
      return "unknown";
    case PassOver::kNotReadYet:
      return "not_read_yet";
    case PassOver::kKilled:
      return "killed";
    case PassOver::kRefused:
      return "refused";
    case PassOver::kOutsidePodRoot:
      return "outside_pod_root";
    case PassOver::kSpared:
      return "spared";
    case PassOver::kRanksLater:
      return "ranks_later";
  }
  return "";
}

bool is_active(const PassPod& pod) {
  return pod.standing != Standing::kUnknown;
}

PassOver protection_of(const PassPod& pod) {
  if (pod.facts->is_critical) {
    return pod.facts->is_static   ? PassOver::kStatic
           : pod.facts->is_mirror ? PassOver::kMirror
                                  : PassOver::kCritical;
  }
  if (pod.facts->never_evict) {
    return PassOver::kNeverEvict;
  }
  switch (pod.standing) {
    case Standing::kUnknown:
      return PassOver::kUnknown;
    case Standing::kKilled:
      return PassOver::kKilled;
    case Standing::kRefused:
      return PassOver::kRefused;
    case Standing::kActive:
    case Standing::kInSoftGrace:
    case Standing::kInHardGrace:
      break;
  }
  return pod.reading.state == ReadingState::kNotReadYet ? PassOver::kNotReadYet : PassOver::kNone;
}

PassOver passed_over_by(const RankRule& rule, const PassPod& pod) {
  const PassOver protection = protection_of(pod);
  return protection != PassOver::kNone || frees_in(rule.scope, pod.facts->below_pod_root)
             ? protection
             : PassOver::kOutsidePodRoot;
}

std::vector<Candidate> rank_with_reasons(const RankRule& rule, std::span<const PassPod> pods,
                                         Choice choice) {
  // Where nobody may go, who would have been first is told all the same.
  const Chosen among(choice == Choice::kNobody ? Choice::kAnybody : choice, rule, pods);
  std::vector<Candidate> candidates;
  candidates.reserve(pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    Candidate candidate;
    candidate.pod = i;
    candidate.passed_over = passed_over_by(rule, pods[i]);
    if (candidate.passed_over == PassOver::kNone && !among.may_go(pods[i])) {
      candidate.passed_over = PassOver::kSpared;
    }
    candidate.usage = measured_usage(rule, pods[i].reading);
    candidate.request_nanos = request_nanos(rule, *pods[i].facts);
    candidate.key = rank_key(rule, *pods[i].facts, pods[i].reading);
    candidates.push_back(candidate);
  }
  const auto is_ranked = [&](const Candidate& candidate) {
    const PassPod& pod = pods[candidate.pod];
    return is_active(pod) && pod.reading.state != ReadingState::kNotReadYet;
  };
  const auto unranked = std::stable_partition(candidates.begin(), candidates.end(), is_ranked);
  std::stable_sort(candidates.begin(), unranked,
                   [](const Candidate& a, const Candidate& b) { return a.key < b.key; });
  bool chosen = false;
  for (auto candidate = candidates.begin(); candidate != unranked; ++candidate) {
    candidate->place = static_cast<std::size_t>(candidate - candidates.begin()) + 1;
    if (candidate->passed_over == PassOver::kNone && std::exchange(chosen, true)) {
      candidate->passed_over = PassOver::kRanksLater;
    }
  }
  return candidates;
}

}  // namespace evictd::eviction
