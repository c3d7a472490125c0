// SPDX-License-Identifier: Apache-2.0
// Answers that are one call of the pipeline each.
#include <algorithm>
#include <numeric>

#include "cluster/pod_json.h"
#include "convert.h"
#include "evictd/try.h"
#include "eviction/message.h"
#include "eviction/pod_facts.h"
#include "eviction/ranking.h"
#include "support/kubernetes/kubernetes_value.h"
#include "support/kubernetes/memcg_notifier.h"

namespace evictd::vectors {

using eviction::Compat;
using eviction::Signal;

Result<Json> answer_parse_thresholds(const Json& input_json, Compat compat) {
  Input input(input_json);
  const Result<std::vector<eviction::Threshold>> thresholds =
      eviction::parse_thresholds(threshold_texts(input.root()), compat);
  if (!thresholds) {
    return input.checked({{"error", thresholds.error().context}});
  }
  return input.checked({{"thresholds", sorted_thresholds_json(*thresholds)}});
}

Result<Json> answer_observations(const Json& input_json, Compat compat) {
  Input input(input_json);
  const eviction::NodeStatistics statistics =
      node_statistics(input.root().at("summary").at("node"));
  return input.checked(observations_json(eviction::observe(statistics, compat)));
}

namespace {

Json amount_json(const eviction::Quantity& amount) {
  return {{"value", test::kubernetes_value(amount)}, {"string", amount.to_string()}};
}

}  // namespace

Result<Json> answer_qos(const Json& input_json, Compat compat) {
  Input input(input_json);
  const eviction::Pod subject = cluster::read_pod(input.root().at("pod"));
  const eviction::PodFacts facts = facts_of(subject, compat);
  const std::string qos = qos_text(subject, compat);
  const std::string computed(to_string(computed_qos(subject)));
  Json answer{{"qosClass", qos},
              {"static", facts.is_static},
              {"mirror", facts.is_mirror},
              {"critical", facts.is_critical},
              {"nodeCritical", facts.is_node_critical},
              {"priority", facts.priority},
              {"memoryRequest", amount_json(effective_request(subject, "memory"))},
              {"ephemeralRequest", amount_json(effective_request(subject, "ephemeral-storage"))},
              {"localVolumes", local_volume_names(subject)},
              {"toleratesMemoryPressure", facts.tolerates_memory_pressure}};
  if (const auto limit = effective_ephemeral_limit(subject, compat)) {
    answer["ephemeralLimit"] = amount_json(*limit);
  }
  if (compat != Compat::k1_26 && computed != qos) {
    answer["computedQosClass"] = computed;
  }
  return input.checked(std::move(answer));
}

namespace {

Json ranking(const JsonReader& root, const eviction::RankRule& rule, Compat compat) {
  const PodSet set = pod_set(root.at("pods"), compat);
  const std::vector<StatisticsEntry> statistics = statistics_list(root.at("stats"));
  std::vector<std::size_t> all(set.pods.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<eviction::PassPod> pods = pass_pods(set, all, statistics);
  Json names = Json::array();
  for (const eviction::Candidate& candidate : eviction::rank_with_reasons(rule, pods)) {
    names.push_back(set.pods[candidate.pod].name);
  }
  return names;
}

}  // namespace

Result<Json> answer_rank_memory(const Json& input_json, Compat compat) {
  Input input(input_json);
  return input.checked(
      ranking(input.root(), eviction::rank_rule(Signal::kMemoryAvailable, {}), compat));
}

Result<Json> answer_rank_pid(const Json& input_json, Compat compat) {
  Input input(input_json);
  return input.checked(
      ranking(input.root(), eviction::rank_rule(Signal::kPidAvailable, {}), compat));
}

Result<Json> answer_rank_disk(const Json& input_json, Compat compat) {
  Input input(input_json);
  const JsonReader root = input.root();
  eviction::RankRule rule;
  if (const JsonReader signal = root.at("signal"); signal.present()) {
    const eviction::DiskLayout layout{root.at("dedicatedImageFs").flag(),
                                      root.at("splitContainerImageFs").flag()};
    const Signal known = eviction::signal_from_text(signal.text(), compat);
    if (known == Signal::kUnknown) {
      signal.reject("is no signal that pods are ranked for");
    }
    rule = eviction::rank_rule(known, layout);
  } else {
    rule.resource = root.at("resource").text() == "inodes" ? eviction::Resource::kInodes
                                                           : eviction::Resource::kEphemeralStorage;
    for (const JsonReader& part : root.at("fsStats").elements()) {
      rule.parts.root = rule.parts.root || part.text() == "root";
      rule.parts.logs = rule.parts.logs || part.text() == "logs";
      rule.parts.volumes = rule.parts.volumes || part.text() == "localVolumeSource";
    }
  }
  return input.checked(ranking(root, rule, compat));
}

bool accept_ranking(const Json& expected, const Json& actual) {
  std::size_t at = 0;
  for (const Json& group : expected) {
    if (at + group.size() > actual.size()) {
      return false;
    }
    std::vector<Json> names(actual.begin() + static_cast<std::ptrdiff_t>(at),
                            actual.begin() + static_cast<std::ptrdiff_t>(at + group.size()));
    std::sort(names.begin(), names.end());
    if (Json(names) != group) {
      return false;
    }
    at += group.size();
  }
  return at == actual.size();
}

Result<Json> answer_messages(const Json& input_json, Compat compat) {
  Input input(input_json);
  const JsonReader root = input.root();
  const eviction::Pod subject = cluster::read_pod(root.at("pod"));
  const std::vector<StatisticsEntry> statistics = statistics_list(root.at("stats"));
  EVICTD_ASSIGN_OR_RETURN(
      const eviction::ThresholdTable table,
      eviction::ThresholdTable::create(thresholds(root.at("thresholds"), compat)));
  eviction::Resource resource = eviction::Resource::kNone;
  for (const auto known : {eviction::Resource::kMemory, eviction::Resource::kEphemeralStorage,
                           eviction::Resource::kInodes, eviction::Resource::kPids}) {
    if (to_string(known) == root.at("resource").text()) {
      resource = known;
    }
  }
  const eviction::Observations seen = observations(root.at("observations"), compat);
  const eviction::EvictionText text = eviction_text(
      {resource, subject, find(statistics, subject.uid), table, table.places(), seen}, compat);
  return input.checked({{"message", text.message}, {"annotations", text.annotations}});
}

Result<Json> answer_notifier(const Json& input_json, Compat compat) {
  Input input(input_json);
  const JsonReader root = input.root();
  const eviction::Threshold subject = threshold(root.at("threshold"), compat);
  const auto notifier =
      test::memcg_notifier(subject, node_statistics(root.at("summary").at("node")));
  Json answer{{"description", test::notifier_description(subject)}};
  if (notifier) {
    answer["attribute"] = "memory.usage_in_bytes";
    answer["threshold"] = notifier->threshold_bytes;
  } else {
    answer["error"] = to_string(notifier.error());
  }
  return input.checked(std::move(answer));
}

}  // namespace evictd::vectors
