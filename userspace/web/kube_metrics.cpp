// SPDX-License-Identifier: Apache-2.0
#include "web/kube_metrics.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"

namespace evictd::web {

namespace {

using base::member_at;
using base::number_at;
using base::text_at;
using Json = nlohmann::ordered_json;

std::optional<double> seconds_at(const Json& object, const char* key) {
  const std::optional<double> ms = number_at(object, key);
  return ms ? std::optional(*ms / 1000) : std::nullopt;
}

void add_knowledge(MetricList& list, const Json& status) {
  list.gauge("evictd_kube_build_info", "A constant 1, labelled with what runs.", 1,
             {{"version", text_at(status, "version")}, {"node", text_at(status, "node")}});
  list.gauge("evictd_kube_pods", "Pods that evictd-kube knows.", number_at(status, "pods"));
  list.gauge("evictd_kube_confirmed_age_seconds", "Age of evictd-kube's data about the pods.",
             seconds_at(status, "confirmed_ms_ago"));
  const Json& problems = member_at(status, "problems");
  list.gauge(
      "evictd_kube_problems", "Problems with the source of pods or their manifests.",
      problems.is_array() ? std::optional(static_cast<double>(problems.size())) : std::nullopt);
}

void add_actions(MetricList& list, const Json& actions) {
  list.gauge("evictd_kube_waiting_actions", "Entries that wait for a request to the API server.",
             number_at(actions, "waiting"));
  list.counter("evictd_kube_eviction_loops_total",
               "Loops: three pods of one controller were evicted within ten minutes.",
               number_at(actions, "counters", "loops"));
  const Json& loops = member_at(actions, "loops");
  if (!loops.is_object()) {
    return;
  }
  for (const Json& controller : member_at(loops, "controllers")) {
    list.gauge("evictd_kube_looping_controller",
               "Eviction loops of the controller, for as long as evictd-kube knows them.",
               number_at(controller, "loops"),
               {{"kind", text_at(controller, "kind")},
                {"namespace", text_at(controller, "namespace")},
                {"name", text_at(controller, "name")}});
  }
  list.gauge("evictd_kube_damped", "Whether an eviction loop keeps new pods off the node.",
             text_at(loops, "damped_until").empty() ? 0 : 1);
}

void add_comparison(MetricList& list, const Json& summary) {
  for (const char* const who :
       {"same_pod", "other_pod", "evictd_only", "kubelet_only", "waiting"}) {
    list.gauge("evictd_kube_compared_evictions",
               "Kept comparisons of evictd's dry run with the kubelet, by who evicted.",
               number_at(summary, who), {{"who", who}});
  }
  constexpr std::array<std::pair<const char*, const char*>, 3> kEarlier{
      {{"evictd_earlier", "evictd"}, {"kubelet_earlier", "kubelet"}, {"unclear", "unclear"}}};
  for (const auto& [key, who] : kEarlier) {
    list.gauge("evictd_kube_compared_pairs", "Pairs of evictions, by who was earlier.",
               number_at(summary, key), {{"earlier", who}});
  }
  list.gauge("evictd_kube_compared_lead_seconds",
             "Time by which evictd was earlier than the kubelet, median of the pairs.",
             seconds_at(summary, "median_evictd_earlier_ms"));
  list.gauge("evictd_kube_compared_more_available_bytes",
             "Bytes by which more was available when evictd decided, median of the "
             "pairs about bytes.",
             number_at(summary, "median_more_available"));
}

}  // namespace

void add_kube(MetricList& list, const Json* status) {
  list.gauge("evictd_kube_up", "Whether evictd-kube answers evictd-web.",
             status != nullptr ? 1 : 0);
  if (status == nullptr) {
    return;
  }
  add_knowledge(list, *status);
  add_actions(list, member_at(*status, "actions"));
  add_comparison(list, member_at(*status, "observe", "summary"));
}

}  // namespace evictd::web
