// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "convert.h"
#include "eviction/disk_layout.h"
#include "eviction/steps.h"
#include "support/kubernetes/kubernetes_value.h"

namespace evictd::vectors {
namespace {

using eviction::Compat;
using eviction::Condition;
using eviction::ConditionTimes;
using eviction::FirstObserved;
using eviction::MinReclaim;
using eviction::Signal;
using eviction::ThresholdList;
using eviction::ThresholdTable;

/// Signal and operator of a threshold as the case has them. The pipeline knows no others than the
/// kubelet's own, so it has one signal and one operator for all others; the kubelet, which compares
/// texts, tells them apart.
struct Words {
  std::string signal;
  std::string op;

  bool operator==(const Words&) const = default;
};

std::vector<Words> words_of(const JsonReader& thresholds) {
  std::vector<Words> list;
  for (const JsonReader& element : thresholds.elements()) {
    list.push_back({element.at("signal").text(), element.at("operator").text()});
  }
  return list;
}

/// A case with its catalogue of thresholds.
struct Case {
  JsonReader root;
  Compat compat;
  ThresholdTable table;
  /// Of each threshold in the table.
  std::vector<Words> words;

  [[nodiscard]] ThresholdList list(std::string_view key) const {
    ThresholdList places;
    for (const JsonReader& element : root.at(key).elements()) {
      const std::int64_t place = whole(element);
      if (place < 0 || static_cast<std::size_t>(place) >= table.size()) {
        element.reject("is no place in the catalogue");
        continue;
      }
      // Two lists are merged, so one may be half full at most.
      if (places.size() >= eviction::kMaxThresholds / 2) {
        element.reject("is one place too many");
        break;
      }
      places.add(static_cast<std::size_t>(place));
    }
    return places;
  }
  [[nodiscard]] MonoTime now() const { return mono(whole(root.at("now"))); }
};

Json list_json(const ThresholdList& list) {
  Json json = Json::array();
  for (const std::size_t place : list) {
    json.push_back(place);
  }
  return json;
}

Json sorted_list_json(const ThresholdList& list) {
  Json json = list_json(list);
  std::sort(json.begin(), json.end());
  return json;
}

FirstObserved first_observed(const Case& subject) {
  FirstObserved times;
  for (const auto& [key, value] : subject.root.at("observedAt").members()) {
    const std::size_t place = std::strtoul(key.c_str(), nullptr, 10);
    if (place >= subject.table.size()) {
      value.reject("is no place in the catalogue");
      continue;
    }
    times[place] = mono(whole(value));
  }
  return times;
}

Json first_observed_json(const FirstObserved& times) {
  Json json = Json::object();
  for (std::size_t place = 0; place < times.size(); ++place) {
    if (times[place]) {
      json[std::to_string(place)] = times[place]->time_since_epoch().count();
    }
  }
  return json;
}

ConditionTimes condition_times(const JsonReader& reader) {
  ConditionTimes times;
  for (const auto& [name, value] : reader.members()) {
    for (const Condition condition : eviction::kConditions) {
      if (to_string(condition) == name) {
        times[static_cast<std::size_t>(condition)] = mono(whole(value));
      }
    }
  }
  return times;
}

Json condition_times_json(const ConditionTimes& times) {
  Json json = Json::object();
  for (const Condition condition : eviction::kConditions) {
    if (const auto& at = times[static_cast<std::size_t>(condition)]) {
      json[std::string(to_string(condition))] = at->time_since_epoch().count();
    }
  }
  return json;
}

Json threshold_quantity(const Case& subject) {
  const eviction::Quantity amount =
      quantity_of(threshold_value(subject.root.at("value")),
                  test::kubernetes_value(quantity(subject.root.at("capacity"))));
  return {{"value", test::kubernetes_value(amount)}, {"string", amount.to_string()}};
}

/// The places that `answer` gives of the whole catalogue, asked for the places of one signal after
/// the other: an unknown one is observed only while it is asked for.
template <typename Answer>
Json signal_by_signal(const Case& subject, const Answer& answer) {
  std::map<std::string, ThresholdList> by_signal;
  for (const std::size_t place : subject.table.places()) {
    by_signal[subject.words[place].signal].add(place);
  }
  std::vector<std::size_t> found;
  for (const auto& [signal, places] : by_signal) {
    const ThresholdList some = answer(signal, places);
    found.insert(found.end(), some.begin(), some.end());
  }
  std::sort(found.begin(), found.end());
  return Json(found);
}

Json met(const Case& subject) {
  const MinReclaim min_reclaim =
      subject.root.at("enforceMinReclaim").flag() ? MinReclaim::kEnforced : MinReclaim::kIgnored;
  const JsonReader seen = subject.root.at("observations");
  return {{"met",
           signal_by_signal(subject, [&](const std::string& signal, const ThresholdList& places) {
             return thresholds_met(subject.table, places,
                                   observations(seen, subject.compat, signal), min_reclaim);
           })}};
}

Json updated_stats(const Case& subject) {
  const JsonReader seen = subject.root.at("observations");
  const JsonReader last = subject.root.at("lastObservations");
  return {{"updated",
           signal_by_signal(subject, [&](const std::string& signal, const ThresholdList& places) {
             return with_fresh_statistics(subject.table, places,
                                          observations(seen, subject.compat, signal),
                                          observations(last, subject.compat, signal));
           })}};
}

Json first_observed_at(const Case& subject) {
  return {{"observedAt", first_observed_json(eviction::first_observed(
                             subject.list("active"), first_observed(subject), subject.now()))}};
}

Json met_grace_period(const Case& subject) {
  return {{"met", sorted_list_json(past_grace(subject.table, subject.table.places(),
                                              first_observed(subject), subject.now()))}};
}

Json node_conditions(const Case& subject) {
  Json conditions = Json::array();
  ThresholdList so_far;
  eviction::ConditionSet known;
  for (const std::size_t place : subject.table.places()) {
    so_far.add(place);
    const eviction::ConditionSet now = conditions_of(subject.table, so_far);
    for (const Condition condition : eviction::kConditions) {
      if (now.has(condition) && !known.has(condition)) {
        conditions.push_back(to_string(condition));
      }
    }
    known = now;
  }
  return {{"conditions", conditions}};
}

Json conditions_last_observed(const Case& subject) {
  eviction::ConditionSet observed;
  for (const JsonReader& element : subject.root.at("conditions").elements()) {
    for (const Condition condition : eviction::kConditions) {
      if (to_string(condition) == element.text()) {
        observed.add(condition);
      }
    }
  }
  return {
      {"conditionsObservedAt",
       condition_times_json(last_observed(
           observed, condition_times(subject.root.at("conditionsObservedAt")), subject.now()))}};
}

Json conditions_observed_since(const Case& subject) {
  const eviction::ConditionSet reported =
      eviction::observed_since(condition_times(subject.root.at("conditionsObservedAt")),
                               Duration(whole(subject.root.at("period"))), subject.now());
  Json conditions = Json::array();
  for (const Condition condition : eviction::kConditions) {
    if (reported.has(condition)) {
      conditions.push_back(to_string(condition));
    }
  }
  return {{"conditions", conditions}};
}

Json merged(const Case& subject) {
  ThresholdList so_far = subject.list("a");
  for (const std::size_t place : subject.list("b")) {
    ThresholdList alike;  // what the pipeline may compare it with
    for (const std::size_t other : so_far) {
      if (subject.words[other] == subject.words[place]) {
        alike.add(other);
      }
    }
    ThresholdList alone;
    alone.add(place);
    if (merge(subject.table, alike, alone).size() > alike.size()) {
      so_far.add(place);
    }
  }
  return {{"merged", list_json(so_far)}};
}

/// Groups by rank. Our own order must agree with them; `order` is what the kubelet's sort makes of
/// a comparison that is no order: insertion, each threshold moving forward past those it beats.
Json by_eviction_priority(const Case& subject) {
  const auto rank = [&](std::size_t place) -> std::size_t {
    const Signal signal = subject.table[place].signal;
    return is_memory(signal) ? 0 : (signal == Signal::kUnknown ? 2 : 1);
  };
  std::array<std::vector<std::size_t>, 3> by_rank;
  for (const std::size_t place : in_order(subject.table, subject.table.places())) {
    by_rank.at(rank(place)).push_back(place);
  }
  Json groups = Json::array();
  for (std::vector<std::size_t>& group : by_rank) {
    std::sort(group.begin(), group.end());
    if (!group.empty()) {
      groups.push_back(group);
    }
  }
  std::vector<std::size_t> order;
  for (const std::size_t place : subject.table.places()) {
    auto at = order.end();
    while (at != order.begin() && (rank(place) == 0 || rank(*(at - 1)) == 2)) {
      --at;
    }
    order.insert(at, place);
  }
  return {{"groups", groups}, {"order", order}};
}

/// The first threshold with a resource that can be reclaimed.
Json reclaimable(const Case& subject) {
  for (const std::size_t place : subject.table.places()) {
    const eviction::Resource resource = resource_of(subject.table[place].signal);
    if (resource != eviction::Resource::kNone) {
      return {{"found", true}, {"threshold", place}, {"resource", to_string(resource)}};
    }
  }
  return {{"found", false}};
}

/// Which given threshold each one that comes of them is, or is derived from; none for a derived one
/// without a source.
std::vector<std::optional<std::size_t>> sources(const ThresholdTable& given,
                                                eviction::DiskLayout layout) {
  std::vector<eviction::Threshold> numbered(given.all().begin(), given.all().end());
  for (std::size_t place = 0; place < numbered.size(); ++place) {
    numbered[place].value.quantity =
        eviction::Quantity(static_cast<std::int64_t>(place), eviction::QuantityFormat::kDecimalSI);
  }
  std::vector<std::optional<std::size_t>> result;
  for (const eviction::Threshold& threshold :
       eviction::derive_containerfs_thresholds(std::move(numbered), layout).thresholds) {
    const std::optional<eviction::Quantity>& number = threshold.value.quantity;
    result.push_back(number ? std::optional(static_cast<std::size_t>(number->value()))
                            : std::nullopt);
  }
  return result;
}

Json update_containerfs(const Case& subject) {
  const std::span<const eviction::Threshold> given = subject.table.all();
  const eviction::DiskLayout layout{subject.root.at("dedicatedImageFs").flag(),
                                    subject.root.at("splitContainerImageFs").flag()};
  const eviction::DerivedThresholds derived =
      eviction::derive_containerfs_thresholds({given.begin(), given.end()}, layout);
  const std::vector<std::optional<std::size_t>> source = sources(subject.table, layout);
  Json list = Json::array();
  for (std::size_t i = 0; i < derived.thresholds.size(); ++i) {
    Json json = threshold_json(derived.thresholds[i]);
    if (source[i]) {
      json["operator"] = subject.words[*source[i]].op;
    }
    if (derived.thresholds[i].signal == Signal::kUnknown) {
      json["signal"] = subject.words[i].signal;
    }
    list.push_back(std::move(json));
  }
  Json answer{{"thresholds", list}};
  if (!derived.warning.empty()) {
    answer["warning"] = derived.warning;
  }
  return answer;
}

struct Operation {
  std::string_view name;
  Json (*answer)(const Case& subject);
};

constexpr std::array<Operation, 12> kOperations{{
    {"thresholdQuantity", threshold_quantity},
    {"thresholdsMet", met},
    {"thresholdsUpdatedStats", updated_stats},
    {"thresholdsFirstObservedAt", first_observed_at},
    {"thresholdsMetGracePeriod", met_grace_period},
    {"nodeConditions", node_conditions},
    {"nodeConditionsLastObservedAt", conditions_last_observed},
    {"nodeConditionsObservedSince", conditions_observed_since},
    {"mergeThresholds", merged},
    {"byEvictionPriority", by_eviction_priority},
    {"getReclaimableThreshold", reclaimable},
    {"updateContainerFsThresholds", update_containerfs},
}};

}  // namespace

Result<Json> answer_thresholds(const Json& input_json, Compat compat) {
  Input input(input_json);
  const JsonReader root = input.root();
  const std::string op = root.at("op").text();
  if (op == "defaultEvictionHard") {
    return input.checked({{"evictionHard", eviction::default_eviction_hard(compat)}});
  }
  const auto* const operation =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const Operation& known) { return known.name == op; });
  const bool exists = operation != kOperations.end() &&
                      (compat != Compat::k1_26 || operation->answer != update_containerfs);
  if (!exists) {
    return fail(Errc::kMalformed, "op: \"" + op + "\" is not known");
  }
  const JsonReader catalogue = root.at("thresholds");
  Result<ThresholdTable> table = ThresholdTable::create(thresholds(catalogue, compat));
  if (!table) {
    return tl::unexpected(table.error());
  }
  return input.checked(operation->answer({root, compat, *std::move(table), words_of(catalogue)}));
}

bool accept_thresholds(const Json& expected, const Json& actual) {
  if (!expected.contains("groups")) {
    return expected == actual;
  }
  return expected.at("groups") == actual.at("groups");
}

}  // namespace evictd::vectors
