// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "export/eviction_record.h"

namespace evictd::cli {

/// The decision that the user asks about.
struct Question {
  /// "last", an id, or a pod: "namespace/name", a name, or a uid.
  std::string what = "last";
  /// The moment whose decision is wanted, instead of the newest decision.
  std::optional<WallTime> at;
};

/// The decision that answers a question, and the pod in the question.
struct Answer {
  /// Borrowed from the records.
  const exporting::EvictionRecord* record = nullptr;
  /// The pod's line in the ranking; null if no pod was asked about or it was not ranked. Borrowed.
  const exporting::RecordedCandidate* pod = nullptr;
  /// The pod's line among the limits on local storage, likewise.
  const exporting::RecordedLocalCandidate* local = nullptr;
  /// The decision whose grace this one cut; null if there is none or it is not recorded. Borrowed.
  const exporting::EvictionRecord* cut = nullptr;
  /// Recorded pods of other namespaces with the same name, if the question is only a name:
  /// "namespace/name", in order.
  std::set<std::string> namesakes{};
  /// evictd-kube's data about the victim's controller; empty if there is none.
  std::string loop{};
};

/// Whether `what` means this pod: "namespace/name", a name, or a uid.
[[nodiscard]] bool names_pod(std::string_view what, std::string_view ns, std::string_view name,
                             std::string_view uid);

/// For "last": the newest eviction, or the newest decision if there is none. For a pod: its own
/// newest eviction, else the newest one in which it was passed over, else the newest pass that
/// ranked it or checked its limits on local storage. With `at`: the decision in force at that
/// moment.
/// Errors: kNotFound, with the available decisions.
[[nodiscard]] Result<Answer> find_answer(const std::vector<exporting::EvictionRecord>& records,
                                         const Question& question);

/// The story in whole sentences, one per line: what happened, why, why this pod, and how. For the
/// pod in the question also why it was or was not chosen.
[[nodiscard]] std::vector<std::string> story_of(const Answer& answer);

/// Prints the story, then timeline, thresholds and ranking as tables.
void print_answer(const Answer& answer, std::ostream& out);

}  // namespace evictd::cli
