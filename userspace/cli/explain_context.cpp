// SPDX-License-Identifier: Apache-2.0
// The rest of a record, besides victim, reason and signals.
#include "cli/explain_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/amount_text.h"
#include "cli/pod_text.h"

namespace evictd::cli {

namespace {

using exporting::EvictionRecord;
using exporting::RecordedCandidate;
using exporting::RecordedThreshold;

std::string memory_text(const EvictionRecord& record) {
  if (record.signal.find("memory.available") == std::string::npos &&
      record.signal.find("Memory.available") == std::string::npos) {
    return {};
  }
  return record.memory_available_source.empty()
             ? std::string()
             : fmt::format("How memory.available was computed: {}{}{}.",
                           record.memory_available_source, record.swap_aware ? ", with swap" : "",
                           record.hugepage_aware ? ", without huge pages" : "");
}

std::string collector_text(const exporting::RecordedCollector& one, const EvictionRecord& record) {
  const std::string what = fmt::format("{} ({})", one.collector, fmt::join(one.argv, " "));
  if (one.outcome == "under_way") {
    return what + " had not ended";
  }
  std::string text = fmt::format("{} {}", what, one.outcome);
  if (one.took_ms) {
    text += " after " + duration_text(std::chrono::milliseconds(*one.took_ms));
  }
  if (one.outcome == "failed") {
    text += fmt::format(" ({})", one.end);
  }
  if (one.ended_at && record.timeline.decide) {
    text += fmt::format(", {} before", duration_text(*record.timeline.decide - *one.ended_at));
  }
  return text;
}

/// The commands that ran to free node-level resources before the pass continued, and their results.
std::string reclaim_text(const EvictionRecord& record) {
  if (!record.reclaim) {
    return {};
  }
  std::vector<std::string> parts;
  parts.reserve(record.reclaim->collectors.size());
  for (const exporting::RecordedCollector& one : record.reclaim->collectors) {
    parts.push_back(collector_text(one, record));
  }
  std::string text = fmt::format("Collectors ran before that: {}", fmt::join(parts, "; "));
  if (record.reclaim->available_before && record.available) {
    text += fmt::format("; {} was {} before they ran and {} after", record.signal,
                        amount_text(record.signal, *record.reclaim->available_before),
                        amount_text(record.signal, *record.available));
  }
  return text + (record.has_victim() ? ", which was not enough." : ".");
}

std::string brakes_text(const EvictionRecord& record) {
  std::string text;
  if (record.evictions_last_minute > 0) {
    text = fmt::format("Evictions in the last minute: {}.", record.evictions_last_minute);
  }
  if (!record.overruled_brake.empty()) {
    text += fmt::format("{}The brake {} would have held it if more than the floor had been left.",
                        text.empty() ? "" : " ", record.overruled_brake);
  }
  return text;
}

std::string release_text(const EvictionRecord& record) {
  std::vector<std::string> parts;
  parts.reserve(record.release.size());
  for (const exporting::RecordedRelease& one : record.release) {
    parts.push_back(one.what + " " + one.state);
  }
  return parts.empty() ? std::string()
                       : fmt::format("Of what it held: {}.", fmt::join(parts, ", "));
}

void add_posts(const EvictionRecord& record, std::vector<std::string>& texts) {
  for (const exporting::RecordedEvent& event : record.events) {
    texts.push_back(fmt::format("A kubelet would have posted on the {}: {}: {}", event.on,
                                event.reason, event.message));
  }
  for (const exporting::RecordedPodCondition& condition : record.pod_conditions) {
    texts.push_back(fmt::format("A kubelet would have set {} on the pod: {}.", condition.type,
                                condition.reason));
  }
}

/// For a hard grace that was cut to the time left; empty otherwise.
std::string cut_grace_text(const EvictionRecord& record) {
  if (!record.grace || record.grace->given_ms >= record.grace->wanted_ms ||
      !record.grace->time_left_ms) {
    return {};
  }
  return fmt::format(
      "Its grace was cut from {} ms to {} ms: what was left would have lasted {} ms "
      "(hardEvictionGracePolicy: predicted).",
      record.grace->wanted_ms, record.grace->given_ms, *record.grace->time_left_ms);
}

}  // namespace

const RecordedThreshold* threshold_of(const EvictionRecord& record) {
  const auto found = std::find_if(
      record.thresholds.begin(), record.thresholds.end(), [&](const RecordedThreshold& one) {
        return one.signal == record.signal && one.threshold == record.threshold;
      });
  return found == record.thresholds.end() ? nullptr : &*found;
}

std::string guard_text(const EvictionRecord& record) {
  if (!record.oom_guard || !record.oom_guard->due) {
    return {};
  }
  const exporting::RecordedGuard& guard = *record.oom_guard;
  return fmt::format(
      "The OOM guard was due: the kernel itself could still give {}, which fell by {}/s{}.",
      bytes_text(static_cast<double>(guard.left)), bytes_text(static_cast<double>(guard.rate)),
      guard.time_left_ms ? fmt::format(" and would have lasted {} ms", *guard.time_left_ms) : "");
}

std::string grace_source_text(const EvictionRecord& record) {
  if (std::string cut = cut_grace_text(record); !cut.empty()) {
    return cut;
  }
  if (record.trigger == "restart") {
    return {};  // Only the earlier evictd knew.
  }
  if (!record.local_limit.empty()) {
    return fmt::format("Its grace of {} s is the compatibility version's for such limits.",
                       record.grace_seconds);
  }
  if (record.outcome == "escalated" && record.grace_seconds == 0) {
    return {};  // By the threshold or by hardEvictionFloor: the record does not tell.
  }
  const RecordedThreshold* threshold = threshold_of(record);
  if (threshold == nullptr) {
    return {};
  }
  return threshold->hardness == "soft"
             ? fmt::format(
                   "Its grace of {} s is evictionMaxPodGracePeriod or, if that is shorter and "
                   "compatibility is not 1.26, the pod's terminationGracePeriodSeconds.",
                   record.grace_seconds)
             : fmt::format(
                   "Its grace of {} s is hardEvictionGracePeriodSeconds or, if that is unset, the "
                   "compatibility version's.",
                   record.grace_seconds);
}

std::string passed_over_text(const EvictionRecord& record) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> named;
  std::size_t more = 0;
  for (const RecordedCandidate& one : record.ranking) {
    if (one.uid == record.uid) {
      break;
    }
    if (named.size() < kMost) {
      named.push_back(fmt::format("{} ({})", pod_text(one.ns, one.name, one.uid), one.reason));
    } else {
      ++more;
    }
  }
  const bool victim_is_ranked =
      std::any_of(record.ranking.begin(), record.ranking.end(),
                  [&](const RecordedCandidate& one) { return one.uid == record.uid; });
  if (named.empty() || !victim_is_ranked) {
    return {};
  }
  return fmt::format("Passed over before it: {}{}.", fmt::join(named, ", "),
                     more == 0 ? std::string() : fmt::format(" and {} more", more));
}

std::vector<std::string> context_texts(const EvictionRecord& record) {
  std::vector<std::string> texts{memory_text(record), reclaim_text(record), brakes_text(record),
                                 release_text(record)};
  std::erase_if(texts, [](const std::string& text) { return text.empty(); });
  add_posts(record, texts);
  return texts;
}

}  // namespace evictd::cli
