// SPDX-License-Identifier: Apache-2.0
// Between the JSON of the case files and the types of the pipeline. Readers report what is wrong
// through the JsonReader that they are given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/json_reader.h"
#include "eviction/observation.h"
#include "eviction/parse_thresholds.h"
#include "eviction/pass.h"
#include "eviction/statistics.h"
#include "eviction/threshold.h"
#include "suite.h"

namespace evictd::vectors {

using cluster::JsonReader;

/// A case's input with the place for its first problem.
class Input {
 public:
  explicit Input(const Json& json) : json_(&json) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] JsonReader root() { return {*json_, problem_}; }
  /// `answer`, or the problem if reading met one.
  [[nodiscard]] Result<Json> checked(Json answer) const;

 private:
  const Json* json_;
  std::optional<std::string> problem_;
};

/// Nanoseconds, counts and indexes: any whole number of 64 bits.
[[nodiscard]] std::int64_t whole(const JsonReader& reader);
[[nodiscard]] std::optional<std::int64_t> optional_whole(const JsonReader& reader);
[[nodiscard]] eviction::Quantity quantity(const JsonReader& reader);
[[nodiscard]] MonoTime mono(std::int64_t nanoseconds);
/// RFC 3339; null, absent and the year 1 mean that no time is known.
[[nodiscard]] std::optional<MonoTime> time(const JsonReader& reader);
[[nodiscard]] Json time_json(const std::optional<MonoTime>& time);

[[nodiscard]] eviction::ThresholdValue threshold_value(const JsonReader& reader);
[[nodiscard]] Json threshold_value_json(const eviction::ThresholdValue& value);
/// A signal that the kubelet of `compat` does not know becomes kUnknown, an operator other than
/// LessThan kNone.
[[nodiscard]] eviction::Threshold threshold(const JsonReader& reader, eviction::Compat compat);
[[nodiscard]] std::vector<eviction::Threshold> thresholds(const JsonReader& reader,
                                                          eviction::Compat compat);
[[nodiscard]] Json threshold_json(const eviction::Threshold& threshold);
/// Sorted by signal, then grace period, then text.
[[nodiscard]] Json sorted_thresholds_json(const std::vector<eviction::Threshold>& thresholds);

[[nodiscard]] eviction::ThresholdTexts threshold_texts(const JsonReader& reader);
/// Of the signals that the kubelet of `compat` does not know, which all have one place, the one
/// named `unknown` is there.
[[nodiscard]] eviction::Observations observations(const JsonReader& reader, eviction::Compat compat,
                                                  std::string_view unknown = {});
[[nodiscard]] Json observations_json(const eviction::Observations& observations);
[[nodiscard]] eviction::NodeStatistics node_statistics(const JsonReader& node);

[[nodiscard]] eviction::PodStatistics pod_statistics(const JsonReader& reader);

/// Pods with everything a pass needs to know of them, in the order given.
struct PodSet {
  std::vector<eviction::Pod> pods;
  std::vector<eviction::PodFacts> facts;

  [[nodiscard]] const eviction::Pod* find(std::string_view name) const;
};
[[nodiscard]] PodSet pod_set(const JsonReader& list, eviction::Compat compat);

/// Statistics with the uid that they are matched by.
struct StatisticsEntry {
  std::string uid;
  eviction::PodStatistics statistics;
};
[[nodiscard]] std::vector<StatisticsEntry> statistics_list(const JsonReader& list);
[[nodiscard]] const eviction::PodStatistics* find(const std::vector<StatisticsEntry>& list,
                                                  std::string_view uid);

/// The pods of the given places as a pass wants them.
[[nodiscard]] std::vector<eviction::PassPod> pass_pods(const PodSet& set,
                                                       const std::vector<std::size_t>& places,
                                                       const std::vector<StatisticsEntry>& list);

}  // namespace evictd::vectors
