// SPDX-License-Identifier: Apache-2.0
#include "kube/status.h"

#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace evictd::kube {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::int64_t whole_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

OrderedJson source_json(const SourceCounters& counters) {
  return {{"asked", counters.asked},
          {"answers", counters.answers},
          {"failures", counters.failures},
          {"unreachable", counters.unreachable},
          {"unauthorized", counters.unauthorized},
          {"throttled", counters.throttled},
          {"other_status", counters.other_status},
          {"malformed", counters.malformed},
          {"refused_pods", counters.refused_pods},
          {"foreign_pods", counters.foreign_pods},
          {"nudges", counters.nudges},
          {"lists", counters.lists},
          {"watches", counters.watches},
          {"watch_events", counters.watch_events},
          {"bookmarks", counters.bookmarks},
          {"expired", counters.expired},
          {"silent_watches", counters.silent_watches},
          {"cut_watches", counters.cut_watches}};
}

OrderedJson manifest_json(const PodDirectory& directory) {
  const ManifestWriter::Counters& counters = directory.writer().counters();
  return {{"written", counters.written},
          {"removed", counters.removed},
          {"failures", counters.failures},
          {"refused", directory.counters().refused_documents}};
}

OrderedJson evictd_json(const EvictdFollower* follower) {
  if (follower == nullptr) {
    return nullptr;
  }
  const EvictdFollower::Counters& counters = follower->counters();
  return {{"connected", follower->connected()},    {"problem", follower->problem()},
          {"connections", counters.connections},   {"lines", counters.lines},
          {"unknown_pods", counters.unknown_pods}, {"oversized_lines", counters.oversized_lines}};
}

OrderedJson observe_json(const KubeStatusSources& sources) {
  if (sources.observer == nullptr) {
    return nullptr;
  }
  OrderedJson json = sources.observer->status();
  json["events"] = sources.events == nullptr ? OrderedJson(nullptr) : sources.events->status();
  return json;
}

}  // namespace

OrderedJson make_kube_status(const KubeStatusSources& sources, MonoTime now) {
  const std::optional<MonoTime> confirmed = sources.directory->confirmed_at();
  OrderedJson problems = OrderedJson::array();
  for (const std::string* problem : {&sources.source->problem(), &sources.directory->problem()}) {
    if (!problem->empty()) {
      problems.push_back(*problem);
    }
  }
  const bool is_kubelet = sources.settings->pod_source == SourceKind::kKubelet;
  return {
      {"version", sources.version},
      {"pid", ::getpid()},
      {"node", sources.node},
      {"uptime_ms", whole_ms(now - sources.started_at)},
      {"pod_source", is_kubelet ? "kubelet" : "apiserver"},
      {"manifest_directory", sources.settings->manifest_directory},
      {"pods", sources.directory->size()},
      {"confirmed_ms_ago",
       confirmed ? OrderedJson(whole_ms(now - *confirmed)) : OrderedJson(nullptr)},
      {"problems", problems},
      {"evictd", evictd_json(sources.follower)},
      {"runtime", sources.runtime == nullptr ? OrderedJson(nullptr) : sources.runtime->status(now)},
      {"actions", sources.actions == nullptr ? OrderedJson(nullptr) : sources.actions->status()},
      {"observe", observe_json(sources)},
      {"counters",
       {{"source", source_json(sources.source->counters())},
        {"manifests", manifest_json(*sources.directory)},
        {"credential_failures", sources.credential_failures}}}};
}

}  // namespace evictd::kube
