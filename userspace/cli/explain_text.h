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

/// Which decision is asked about.
struct Question {
  /// "last", an id, or a pod: "namespace/name", a name, or a uid.
  std::string what = "last";
  /// What was in force then, instead of the newest.
  std::optional<WallTime> at;
};

/// The decision that answers a question, and the pod that was asked about.
struct Answer {
  /// Borrowed from the records.
  const exporting::EvictionRecord* record = nullptr;
  /// Its line in the ranking, if one was asked about and it took part; borrowed likewise.
  const exporting::RecordedCandidate* pod = nullptr;
  /// Its line beside the limits on local storage, likewise.
  const exporting::RecordedLocalCandidate* local = nullptr;
  /// What the decision cut the grace of, if it did and that is recorded; borrowed likewise.
  const exporting::EvictionRecord* cut = nullptr;
  /// Pods of other namespaces that the records have and that the question means as well, because it
  /// is a name alone: "namespace/name", in order.
  std::set<std::string> namesakes{};
  /// What evictd-kube knows of the victim's controller; empty where that is nothing.
  std::string loop{};
};

/// Whether `what` means this pod: "namespace/name", a name, or a uid.
[[nodiscard]] bool names_pod(std::string_view what, std::string_view ns, std::string_view name,
                             std::string_view uid);

/// "last": the newest eviction, or the newest decision if there is none. A pod: its own newest
/// eviction, else the newest in which it was passed over, else the newest pass that ranked it or
/// looked at its limits on local storage. With
/// `at`: the decision that was in force then.
/// Errors: kNotFound, with what there is.
[[nodiscard]] Result<Answer> find_answer(const std::vector<exporting::EvictionRecord>& records,
                                         const Question& question);

/// The story in whole sentences, one a line: what happened, why, why this pod, how, and of the pod
/// that was asked about why it was or was not the one.
[[nodiscard]] std::vector<std::string> story_of(const Answer& answer);

/// The story, then time line, thresholds and ranking as tables.
void print_answer(const Answer& answer, std::ostream& out);

}  // namespace evictd::cli
