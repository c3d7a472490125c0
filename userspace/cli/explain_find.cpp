// SPDX-License-Identifier: Apache-2.0
// Finds the decision that answers a question.
#include <algorithm>
#include <charconv>

#include "cli/explain_text.h"
#include "cli/pod_text.h"
#include "core/leading_zero.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using exporting::EvictionRecord;

/// The candidate that `what` means; null if there is none.
template <typename Candidate>
const Candidate* candidate_in(const std::vector<Candidate>& candidates, std::string_view what) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return names_pod(what, candidate.ns, candidate.name, candidate.uid);
  });
  return found == candidates.end() ? nullptr : &*found;
}

Answer answer_in(const EvictionRecord& record, std::string_view what) {
  return {.record = &record,
          .pod = candidate_in(record.ranking, what),
          .local = candidate_in(record.local_candidates, what)};
}

std::optional<std::uint64_t> id_of(std::string_view what) {
  if (core::has_leading_zero(what)) {
    return std::nullopt;  // A pod may be called so, no id is written so.
  }
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), id);
  return error == std::errc() && end == what.data() + what.size() ? std::optional(id)
                                                                  : std::nullopt;
}

/// Ids give the order, independently of clock changes. Exception: a record that evictd creates at
/// its start for an eviction that an earlier evictd began has an id of that start.
bool is_newer(const EvictionRecord& one, const EvictionRecord& other) {
  const bool late = one.trigger == "restart" || other.trigger == "restart";
  return late && one.at != other.at ? one.at > other.at : one.id > other.id;
}

template <typename Wanted>
const EvictionRecord* newest(const std::vector<EvictionRecord>& records, const Wanted& wanted) {
  const EvictionRecord* found = nullptr;
  for (const EvictionRecord& record : records) {
    if (wanted(record) && (found == nullptr || is_newer(record, *found))) {
      found = &record;
    }
  }
  return found;
}

Answer answer_for_pod(const std::vector<EvictionRecord>& records, const std::string& what) {
  const auto is_victim = [&](const EvictionRecord& record) {
    return record.has_victim() && names_pod(what, record.ns, record.name, record.uid);
  };
  const auto took_part = [&](const EvictionRecord& record) {
    const Answer answer = answer_in(record, what);
    return answer.pod != nullptr || answer.local != nullptr;
  };
  const auto was_passed_over = [&](const EvictionRecord& record) {
    return record.has_victim() && took_part(record);
  };
  const EvictionRecord* record = newest(records, is_victim);
  if (record == nullptr) {
    record = newest(records, was_passed_over);
  }
  if (record == nullptr) {
    record = newest(records, took_part);
  }
  return record == nullptr ? Answer{} : answer_in(*record, what);
}

Failure not_found(const std::vector<EvictionRecord>& records, const std::string& what) {
  if (records.empty()) {
    return fail(Errc::kNotFound, "no decision is recorded; there is none until a threshold is met");
  }
  const auto [first, last] = std::minmax_element(
      records.begin(), records.end(),
      [](const EvictionRecord& one, const EvictionRecord& other) { return one.at < other.at; });
  return fail(Errc::kNotFound,
              what + "; recorded are the decisions " + std::to_string(records.front().id) + " to " +
                  std::to_string(records.back().id) + ", from " + exporting::rfc3339(first->at) +
                  " to " + exporting::rfc3339(last->at));
}

Result<Answer> answer_at(const std::vector<EvictionRecord>& records, const Question& question) {
  const EvictionRecord* in_force =
      newest(records, [&](const EvictionRecord& record) { return record.at <= *question.at; });
  if (in_force == nullptr) {
    return not_found(records,
                     "nothing is recorded for " + exporting::rfc3339(*question.at) + " or before");
  }
  if (question.what == "last") {
    return Answer{.record = in_force};
  }
  const Answer answer = answer_in(*in_force, question.what);
  if (answer.pod == nullptr && answer.local == nullptr) {
    return not_found(records, "\"" + question.what + "\" took no part in decision " +
                                  std::to_string(in_force->id) + ", which was in force then");
  }
  return answer;
}

Result<Answer> answer_to(const std::vector<EvictionRecord>& records, const Question& question) {
  if (question.at) {
    return answer_at(records, question);
  }
  if (question.what == "last") {
    const EvictionRecord* record =
        newest(records, [](const EvictionRecord& one) { return one.has_victim(); });
    if (record == nullptr && !records.empty()) {
      record = &records.back();
    }
    if (record == nullptr) {
      return not_found(records, "");
    }
    return Answer{.record = record};
  }
  if (const std::optional<std::uint64_t> id = id_of(question.what)) {
    const EvictionRecord* record =
        newest(records, [&](const EvictionRecord& one) { return one.id == *id; });
    if (record != nullptr) {
      return Answer{.record = record};
    }
  }
  const Answer answer = answer_for_pod(records, question.what);
  if (answer.record == nullptr) {
    return not_found(records,
                     "\"" + question.what +
                         "\" took part in none of the recorded decisions, and none has that id");
  }
  return answer;
}

/// All recorded pods with this `name`, by namespace and name.
std::set<std::string> pods_called(const std::vector<EvictionRecord>& records,
                                  std::string_view name) {
  std::set<std::string> pods;
  const auto consider = [&](const auto& pod) {
    if (pod.name == name) {
      pods.insert(pod_text(pod.ns, pod.name, pod.uid));
    }
  };
  for (const EvictionRecord& record : records) {
    consider(record);
    std::for_each(record.ranking.begin(), record.ranking.end(), consider);
    std::for_each(record.local_candidates.begin(), record.local_candidates.end(), consider);
  }
  return pods;
}

/// All of them except the pod that `answer` is about; empty if it is not about a pod of that name.
std::set<std::string> namesakes_of(const Answer& answer, const std::vector<EvictionRecord>& records,
                                   const std::string& name) {
  const auto called = [](const auto& pod) { return pod_text(pod.ns, pod.name, pod.uid); };
  const std::string answered = answer.pod != nullptr     ? called(*answer.pod)
                               : answer.local != nullptr ? called(*answer.local)
                                                         : called(*answer.record);
  std::set<std::string> pods = pods_called(records, name);
  return pods.erase(answered) > 0 ? pods : std::set<std::string>();
}

}  // namespace

bool names_pod(std::string_view what, std::string_view ns, std::string_view name,
               std::string_view uid) {
  if (name.empty()) {
    return !what.empty() && what == uid;
  }
  return what == name || what == uid ||
         (what.size() == ns.size() + 1 + name.size() && what.starts_with(ns) &&
          what[ns.size()] == '/' && what.ends_with(name));
}

Result<Answer> find_answer(const std::vector<EvictionRecord>& records, const Question& question) {
  Result<Answer> answer = answer_to(records, question);
  if (answer && answer->record->escalates) {
    answer->cut = newest(
        records, [&](const EvictionRecord& one) { return one.id == *answer->record->escalates; });
  }
  if (answer) {
    answer->namesakes = namesakes_of(*answer, records, question.what);
  }
  return answer;
}

}  // namespace evictd::cli
