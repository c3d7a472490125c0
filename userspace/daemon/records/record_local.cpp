// SPDX-License-Identifier: Apache-2.0
// What a record tells of limits on local storage.
#include <algorithm>
#include <chrono>
#include <optional>

#include "daemon/records/record_builder.h"
#include "daemon/records/record_texts.h"
#include "enforce/protection.h"
#include "eviction/local_storage.h"
#include "eviction/ranking.h"

namespace evictd::daemon {

namespace {

std::string_view what_of(eviction::LocalLimit limit) {
  switch (limit) {
    case eviction::LocalLimit::kEmptyDir:
      return "volume";
    case eviction::LocalLimit::kPod:
      return "pod";
    case eviction::LocalLimit::kContainer:
      return "container";
  }
  return "";
}

std::optional<eviction::LocalStorageBreach> breach_of(const PassCopy::PodCopy& pod,
                                                      eviction::DiskLayout layout,
                                                      eviction::Compat compat) {
  if (!pod.pass.facts->has_local_limits || pod.pass.pod == nullptr ||
      pod.pass.statistics == nullptr) {
    return std::nullopt;
  }
  return eviction::local_storage_breach(*pod.pass.pod, *pod.pass.statistics, layout, compat);
}

void pass_over(exporting::RecordedLocalCandidate& candidate, std::string_view rule,
               std::string_view reason) {
  candidate.passed_over = rule;
  candidate.reason = reason;
}

/// Why a pod that exceeds no limit could not be evicted.
void explain_within(exporting::RecordedLocalCandidate& candidate, const PassCopy::PodCopy& pod) {
  if (!pod.pass.facts->has_local_limits) {
    pass_over(candidate, "no_limits", "it has no limit on local storage");
  } else if (pod.storage_at == MonoTime{}) {
    pass_over(candidate, "not_measured", "its local storage was not measured yet");
  } else {
    pass_over(candidate, "within_limits", "it exceeded no limit on local storage");
  }
}

/// Why a pod that exceeds a limit was not evicted for it.
void explain_spared(exporting::RecordedLocalCandidate& candidate, const PassCopy::PodCopy& pod,
                    const eviction::Decision& decision) {
  const eviction::PassOver rule = eviction::protection_of(pod.pass);
  const enforce::Protection protection = pod.pod->protection_now();
  if (protection == enforce::Protection::kOwnProcess ||
      protection == enforce::Protection::kOutsideRoot) {
    pass_over(candidate, enforce::to_string(protection),
              "protected: " + std::string(enforce::reason_of(protection)));
  } else if (rule != eviction::PassOver::kNone) {
    pass_over(candidate, eviction::to_string(rule), reason_text(rule));
  } else if (pod.pass.standing != eviction::Standing::kActive) {
    pass_over(candidate, eviction::to_string(eviction::PassOver::kKilled),
              reason_text(eviction::PassOver::kKilled));
  } else if (eviction::is_brake(decision.reason)) {
    pass_over(candidate, eviction::to_string(decision.reason), eviction::describe(decision.reason));
  } else {
    pass_over(candidate, "not_begun", "the brakes held it back, or evictd could not signal it");
  }
}

}  // namespace

std::vector<exporting::RecordedLocalCandidate> make_local_candidates(const PassCopy& copy,
                                                                     eviction::Compat compat,
                                                                     MonoTime now) {
  const bool none = std::none_of(copy.pods.begin(), copy.pods.end(), [](const auto& pod) {
    return pod.pass.statistics != nullptr;  // set only for pods that exceed a limit
  });
  if (none) {
    return {};
  }
  const eviction::DiskLayout layout = copy.layout.value_or(eviction::DiskLayout{});
  std::vector<exporting::RecordedLocalCandidate> candidates;
  bool exceeded = false;
  for (std::size_t i = 0; i < copy.pods.size(); ++i) {
    const PassCopy::PodCopy& pod = copy.pods[i];
    exporting::RecordedLocalCandidate& candidate = candidates.emplace_back();
    candidate.ns = pod.pod->ns;
    candidate.name = pod.pod->name;
    candidate.uid = pod.pod->uid;
    const std::optional<eviction::LocalStorageBreach> breach = breach_of(pod, layout, compat);
    if (!breach) {
      explain_within(candidate, pod);
      continue;
    }
    exceeded = true;
    candidate.local_limit = eviction::to_string(breach->limit);
    candidate.storage = make_local_storage({.pod = *pod.pass.pod,
                                            .statistics = *pod.pass.statistics,
                                            .breach = *breach,
                                            .measured_at = pod.storage_at,
                                            .method = pod.storage_method,
                                            .complete = pod.storage_complete},
                                           layout, compat, now);
    if (std::find(copy.local_signalled.begin(), copy.local_signalled.end(), i) !=
        copy.local_signalled.end()) {
      candidate.reason = "evicted: it exceeded a limit on local storage";
    } else {
      explain_spared(candidate, pod, copy.decision);
    }
  }
  return exceeded ? candidates : std::vector<exporting::RecordedLocalCandidate>{};
}

std::vector<std::string> spared_for_local_storage(
    const std::vector<exporting::RecordedLocalCandidate>& candidates) {
  std::vector<std::string> spared;
  for (const exporting::RecordedLocalCandidate& candidate : candidates) {
    // A refusal was reported when it happened.
    const bool over = candidate.passed_over.empty() ||
                      candidate.passed_over == eviction::to_string(eviction::PassOver::kKilled) ||
                      candidate.passed_over == eviction::to_string(eviction::PassOver::kRefused);
    if (!candidate.local_limit.empty() && !over) {
      spared.push_back(candidate.uid + " " + candidate.local_limit + " " + candidate.passed_over);
    }
  }
  return spared;
}

exporting::RecordedLocalStorage make_local_storage(const MeasuredBreach& measured,
                                                   eviction::DiskLayout layout,
                                                   eviction::Compat compat, MonoTime now) {
  const eviction::LocalStorageAmounts amounts = eviction::local_storage_amounts(
      measured.pod, measured.statistics, measured.breach, layout, compat);
  const auto age =
      std::chrono::duration_cast<std::chrono::microseconds>(now - measured.measured_at);
  exporting::RecordedLocalStorage recorded;
  recorded.what = what_of(measured.breach.limit);
  recorded.name = amounts.name;
  recorded.used_bytes = amounts.used;
  recorded.limit_bytes = amounts.limit;
  recorded.age_us = std::max<std::int64_t>(age.count(), 0);
  recorded.method = disk::to_string(measured.method);
  recorded.complete = measured.complete;
  return recorded;
}

}  // namespace evictd::daemon
