// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/amount_text.h"
#include "cli/explain_context.h"
#include "cli/explain_signal.h"
#include "cli/pod_text.h"
#include "eviction/decision.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using exporting::EvictionRecord;
using exporting::RecordedCandidate;
using exporting::RecordedLocalCandidate;
using exporting::RecordedThreshold;

std::string observation_text(const EvictionRecord& record) {
  for (const exporting::RecordedObservation& seen : record.observations) {
    if (seen.signal == record.signal) {
      return fmt::format(
          " (exact to {}, read from {}{}{})", amount_text(seen.signal, seen.error_bound),
          seen.source,
          seen.age_us ? ", " + duration_text(std::chrono::microseconds(*seen.age_us)) + " old"
                      : std::string(),
          seen.kernel_available ? "; the kernel itself had " +
                                      amount_text(seen.signal, *seen.kernel_available) + " to give"
                                : std::string());
    }
  }
  return {};
}

/// How fast the signal fell, as a sentence of its own; empty if it did not.
std::string fall_text(const EvictionRecord& record) {
  if (record.rate.value_or(0) <= 0) {
    return {};
  }
  const auto& cause = record.because_of;
  return fmt::format(" It fell by {} a second{}.", amount_text(record.signal, *record.rate),
                     cause ? ", because of " + pod_text(cause->ns, cause->name, cause->uid) : "");
}

std::string measured_text(const exporting::RecordedLocalStorage& storage) {
  return fmt::format("{}{}{} used {}{} of {}, measured by {} {} before",
                     storage.what == "pod" ? "the pod" : storage.what,
                     storage.name.empty() ? "" : " ", storage.name,
                     storage.complete ? "" : "at least ",
                     bytes_text(static_cast<double>(storage.used_bytes)),
                     bytes_text(static_cast<double>(storage.limit_bytes)), storage.method,
                     duration_text(std::chrono::microseconds(storage.age_us)));
}

std::string threshold_text(const EvictionRecord& record) {
  if (!record.local_limit.empty()) {
    return fmt::format("It exceeded its own limit on local storage ({}){}.", record.local_limit,
                       record.local_storage ? ": " + measured_text(*record.local_storage) : "");
  }
  if (record.signal.empty()) {
    return "No threshold was met.";
  }
  const RecordedThreshold* threshold = threshold_of(record);
  const bool soft = threshold != nullptr && threshold->hardness == "soft";
  std::string text =
      fmt::format("{} was {} of {}{}, its {} threshold is {}", record.signal,
                  record.available ? amount_text(record.signal, *record.available) : "not known",
                  record.capacity ? amount_text(record.signal, *record.capacity) : "not known",
                  observation_text(record), soft ? "soft" : "hard", record.threshold);
  if (threshold != nullptr && threshold->met_below) {
    text += fmt::format(" ({})", amount_text(record.signal, *threshold->met_below));
  }
  if (threshold != nullptr && !threshold->min_reclaim.empty()) {
    text += fmt::format(", resolved once {} more is available", threshold->min_reclaim);
  }
  if (soft) {
    text += fmt::format(", which must be met for {}", grace_text(threshold->grace_period_ms, " "));
    if (threshold->met_for_ms) {
      text +=
          " and had been for " + duration_text(std::chrono::milliseconds(*threshold->met_for_ms));
    }
  }
  return text + "." + fall_text(record);
}

std::string_view trigger_text(std::string_view trigger) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTexts{
      {{"disk", "A pass ran because a filesystem was read"},
       {"regular", "A pass ran because the polling interval was over"},
       {"crossing", "The kernel side saw the threshold crossed and woke evictd"},
       {"stall", "The kernel side saw a pod stall on memory and woke evictd"},
       {"deadline",
        "A pass ran because a grace period, a transition period or a hold ended, or to retry a pod "
        "that could not be signalled"},
       {"release", "A pass ran because a victim's resources were free"},
       {"request",
        "A pass ran because of a start, a reload, lost events, an OOM kill or a pod that could be "
        "evicted where none could"},
       {"report", "A pass ran because an earlier pass's result could not be recorded at once"},
       {"restart",
        "A restarted evictd found the eviction in progress and no record of it: what only the "
        "earlier evictd knew is missing"},
       {"approach", "evictd was awake because a value raced towards its threshold"}}};
  for (const auto& [name, text] : kTexts) {
    if (name == trigger) {
      return text;
    }
  }
  return trigger;
}

std::string_view outcome_text(std::string_view outcome, std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTexts{
      {{"nothing_met", "no threshold was met any more"},
       {"in_grace", "thresholds were met, but none for its whole grace period"},
       {"stale", "the threshold's statistics were not newer than in the previous pass"},
       {"reclaiming", "collectors ran first, to free node-level resources"},
       {"reclaimed", "the collectors freed enough"},
       {"no_candidates", "there was no pod that could be ranked"},
       {"all_protected", "there were pods, but none may be evicted"},
       {"held", "evictd waited for an earlier victim"},
       {"failed", "the pass failed"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReasons{
      {{"release_pending",
        "evictd waited for what an earlier victim was freeing or had left behind"},
       {"victim_in_grace", "an earlier victim had not used up its grace"},
       {"collectors_busy", "collectors of an earlier pass were running"},
       {"left_behind",
        "dead pods held more memory than was missing, and no pod used more than its request"},
       {"usage_pending", "the disk usage of pods was being measured"},
       {"no_statistics", "statistics could not be read"},
       {"no_layout", "the disk layout could not be read"}}};
  for (const auto& [name, text] : kReasons) {
    if (name == reason) {
      return text;
    }
  }
  for (std::size_t i = 1; i < eviction::kReasonCount; ++i) {
    const auto brake = static_cast<eviction::Reason>(i);
    if (eviction::is_brake(brake) && eviction::to_string(brake) == reason) {
      return eviction::describe(brake);
    }
  }
  for (const auto& [name, text] : kTexts) {
    if (name == outcome) {
      return text;
    }
  }
  return outcome;
}

/// The effect of the decision on its victim.
std::string_view done_text(const EvictionRecord& record) {
  if (record.outcome == "escalated") {
    return record.dry_run ? "would have lost what was left of its grace"
                          : "lost what was left of its grace";
  }
  return record.dry_run ? "would have been evicted" : "was evicted";
}

std::string head_text(const EvictionRecord& record) {
  const std::string moment =
      exporting::rfc3339(record.at) + (record.node.empty() ? "" : " on node " + record.node);
  if (!record.has_victim()) {
    return fmt::format("Decision {} at {}: nobody was evicted ({}): {}.", record.id, moment,
                       record.outcome, outcome_text(record.outcome, record.hold_reason));
  }
  return fmt::format("Decision {} at {}: pod {} ({}) {}{}.", record.id, moment,
                     pod_text(record.ns, record.name, record.uid), record.uid, done_text(record),
                     record.dry_run ? " (dry run: nothing was sent)" : "");
}

std::string why_text(const EvictionRecord& record) {
  const auto victim =
      std::find_if(record.ranking.begin(), record.ranking.end(),
                   [&](const RecordedCandidate& candidate) { return candidate.uid == record.uid; });
  if (!record.local_limit.empty()) {
    return "No ranking chose it: this limit belongs to the pod itself.";
  }
  if (victim == record.ranking.end()) {
    return "The ranking of the pods was not recorded.";
  }
  const auto protected_before = std::count_if(
      record.ranking.begin(), victim,
      [](const RecordedCandidate& candidate) { return !candidate.passed_over.empty(); });
  return fmt::format(
      "It stood {} of {} in the ranking{}: it used {} and requested {} ({} its request), with "
      "priority {}.",
      victim->place, record.ranking.size(),
      protected_before == 0 ? std::string()
                            : fmt::format(", behind {} that may not be evicted", protected_before),
      amount_text(record.signal, victim->usage), amount_text(record.signal, victim->request),
      victim->exceeds_request ? "above" : "not above", victim->priority);
}

/// For a victim that was chosen while disk usage was still being measured.
std::string_view disk_basis_text(const EvictionRecord& record) {
  if (record.disk_basis == "certain") {
    return "Not all pods were fully measured; the rest could not have changed the choice.";
  }
  if (record.disk_basis == "best_known") {
    return "There was no time to measure all pods fully before the filesystem was full: the choice "
           "uses the best known values, and another pod may have used more.";
  }
  return {};
}

/// For a pod that exceeded a limit on local storage, whichever pod was evicted.
std::string exceeded_text(const RecordedLocalCandidate& pod) {
  return fmt::format("{} exceeded its limit on local storage ({}): {}",
                     pod_text(pod.ns, pod.name, pod.uid), pod.local_limit,
                     pod.storage ? measured_text(*pod.storage) : "the exceeding part is unknown");
}

std::string local_story(const Answer& answer) {
  const RecordedLocalCandidate& pod = *answer.local;
  const std::string name = pod_text(pod.ns, pod.name, pod.uid);
  if (pod.local_limit.empty()) {
    return fmt::format("Why not {} for its local storage: {}.", name, pod.reason);
  }
  return fmt::format("{}. {} {}: {}.", exceeded_text(pod),
                     pod.passed_over.empty() ? "Why" : "Why not", name, pod.reason);
}

/// Pods, other than the one in the question, that exceeded a limit and were not evicted.
std::vector<std::string> not_evicted_texts(const Answer& answer) {
  std::vector<std::string> texts;
  for (const RecordedLocalCandidate& pod : answer.record->local_candidates) {
    if (!pod.local_limit.empty() && !pod.passed_over.empty() && &pod != answer.local) {
      texts.push_back(fmt::format("{}; it was not evicted: {}.", exceeded_text(pod), pod.reason));
    }
  }
  return texts;
}

/// Usage of the victim's containers that are measured separately.
std::string containers_text(const EvictionRecord& record) {
  std::vector<std::string> texts;
  for (const exporting::RecordedContainer& one : record.containers) {
    texts.push_back(fmt::format("{} {} ({} before)", one.name,
                                bytes_text(static_cast<double>(one.working_set_bytes)),
                                duration_text(std::chrono::microseconds(one.age_us))));
  }
  return fmt::format("Of its containers, as last read: {}.", fmt::join(texts, ", "));
}

/// For a pod whose disk usage was still being measured.
std::string counted_text(const RecordedCandidate& pod, std::string_view signal) {
  if (pod.counted != "part" && pod.counted != "none") {
    return {};
  }
  const std::string most =
      pod.error_bound ? fmt::format(", up to {} more", amount_text(signal, *pod.error_bound)) : "";
  return pod.counted == "part"
             ? fmt::format(" (counted in part{})", most)
             : fmt::format(" (not counted again, known from {} before{})",
                           duration_text(std::chrono::microseconds(pod.reading_age_us)), most);
}

std::string pod_story(const Answer& answer) {
  const RecordedCandidate& pod = *answer.pod;
  const std::string name = pod_text(pod.ns, pod.name, pod.uid);
  const EvictionRecord& record = *answer.record;
  if (record.has_victim() && pod.uid == record.uid) {
    return fmt::format("Why {}: {}.", name, pod.reason);
  }
  return fmt::format(
      "Why not {}: {}. It was {} of {}: used {}{}, requested {}, priority {}, QoS {}.", name,
      pod.reason, pod.place == 0 ? "not ranked, one" : std::to_string(pod.place),
      record.ranking.size(), amount_text(record.signal, pod.usage),
      counted_text(pod, record.signal), amount_text(record.signal, pod.request), pod.priority,
      pod.qos);
}

}  // namespace

std::vector<std::string> story_of(const Answer& answer) {
  const EvictionRecord& record = *answer.record;
  std::vector<std::string> story{head_text(record), threshold_text(record),
                                 std::string(trigger_text(record.trigger)) + "."};
  if (!record.local_limit.empty() && !record.message.empty()) {
    story.push_back("The kubelet's words: " + record.message);
  }
  if (record.has_victim()) {
    story.push_back(why_text(record));
    if (const std::string_view basis = disk_basis_text(record); !basis.empty()) {
      story.emplace_back(basis);
    }
    if (std::string text = passed_over_text(record); !text.empty()) {
      story.push_back(std::move(text));
    }
    if (!record.containers.empty()) {
      story.push_back(containers_text(record));
    }
    if (answer.cut != nullptr) {
      story.push_back(cut_text(*answer.cut));
    }
    story.push_back(how_text(record));
    if (std::string text = grace_source_text(record); !text.empty()) {
      story.push_back(std::move(text));
    }
    if (std::string text = guard_text(record); !text.empty()) {
      story.push_back(std::move(text));
    }
  }
  if (!record.conditions.empty()) {
    story.push_back(fmt::format("The node reported {}.", fmt::join(record.conditions, ", ")));
  }
  for (std::string& text : context_texts(record)) {
    story.push_back(std::move(text));
  }
  for (std::string& text : not_evicted_texts(answer)) {
    story.push_back(std::move(text));
  }
  if (answer.local != nullptr && answer.local->uid != record.uid) {
    story.push_back(local_story(answer));
  }
  if (answer.pod != nullptr) {
    story.push_back(pod_story(answer));
  }
  if (!answer.loop.empty()) {
    story.push_back(answer.loop);
  }
  if (!answer.namesakes.empty()) {
    story.push_back(fmt::format("The name means {} as well: ask for one by namespace/name.",
                                fmt::join(answer.namesakes, ", ")));
  }
  return story;
}

}  // namespace evictd::cli
