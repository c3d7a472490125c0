// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace evictd::cluster {

namespace {

using ManifestsByUid = std::map<std::string_view, const Manifest*>;

eviction::QosClass qos_class(PathQos qos) {
  switch (qos) {
    case PathQos::kGuaranteed:
      return eviction::QosClass::kGuaranteed;
    case PathQos::kBurstable:
      return eviction::QosClass::kBurstable;
    case PathQos::kBestEffort:
      return eviction::QosClass::kBestEffort;
  }
  return eviction::QosClass::kBestEffort;
}

/// A static pod is described twice where the API server's mirror of it is known too; both
/// descriptions are protected alike.
bool contradict(const Manifest& a, const Manifest& b) {
  return !a.pod.from_static_source && !b.pod.from_static_source;
}

ManifestsByUid index_manifests(const JoinInputs& inputs, std::vector<Error>& problems) {
  ManifestsByUid by_uid;
  for (const Manifest* manifest : inputs.manifests) {
    if (manifest->cgroup_uid.empty()) {
      continue;
    }
    const auto [known, is_new] = by_uid.emplace(manifest->cgroup_uid, manifest);
    if (!is_new && contradict(*known->second, *manifest)) {
      problems.push_back({Errc::kInvalid, 0,
                          manifest->origin + ": metadata.uid: '" + manifest->cgroup_uid +
                              "' is also the uid at " + known->second->origin +
                              ", which counts; allowed: one manifest a uid"});
    }
  }
  return by_uid;
}

bool has_ended(const eviction::Pod& pod) {
  return pod.phase == "Failed" || pod.phase == "Succeeded";
}

PodState state_of(const eviction::Pod& pod, const PodCgroup& cgroup) {
  if (has_ended(pod) || (pod.deletion_requested && !cgroup.populated)) {
    return PodState::kTerminated;
  }
  return cgroup.populated ? PodState::kActive : PodState::kEmpty;
}

eviction::Pod pod_from_path(const PodCgroup& cgroup) {
  eviction::Pod pod;
  pod.name = cgroup.uid;
  pod.uid = cgroup.uid;
  pod.qos_from_cgroup = qos_class(cgroup.qos);
  pod.from_static_source = is_static_uid(cgroup.uid);
  return pod;
}

eviction::Pod pod_from_rule(const PodCgroup& cgroup, const ExternalPodRule& rule) {
  eviction::Pod pod = pod_from_path(cgroup);
  pod.name = rule.name.empty() ? cgroup.path : rule.name;
  pod.priority = rule.priority;
  if (rule.memory_request) {
    eviction::Container container;
    container.name = pod.name;
    container.requests.emplace("memory", eviction::Quantity(rule.memory_request->value,
                                                            eviction::QuantityFormat::kBinarySI));
    pod.containers.push_back(std::move(container));
  }
  return pod;
}

PodEntry entry_of(const PodCgroup& cgroup, const Manifest* manifest, const JoinInputs& inputs) {
  PodEntry entry;
  entry.uid = cgroup.uid;
  entry.cgroup = cgroup;
  if (manifest != nullptr) {
    entry.origin = PodOrigin::kManifest;
    entry.pod = manifest->pod;
    entry.manifest_origin = manifest->origin;
  } else if (cgroup.external_rule && *cgroup.external_rule < inputs.external_pods.size()) {
    entry.origin = PodOrigin::kRule;
    entry.pod = pod_from_rule(cgroup, inputs.external_pods[*cgroup.external_rule]);
  } else {
    entry.origin = PodOrigin::kPath;
    entry.pod = pod_from_path(cgroup);
  }
  const bool may_guess =
      inputs.sources == PodSources::kTreeOnly && inputs.unknown_pods == UnknownPods::kEvict;
  const bool is_known = entry.origin != PodOrigin::kPath || may_guess;
  entry.state = is_known ? state_of(entry.pod, cgroup) : PodState::kUnknown;
  return entry;
}

PodEntry entry_without_cgroup(const Manifest& manifest) {
  PodEntry entry;
  entry.uid = manifest.cgroup_uid.empty() ? manifest.origin : manifest.cgroup_uid;
  entry.pod = manifest.pod;
  entry.origin = PodOrigin::kManifest;
  const bool is_over = has_ended(manifest.pod) || manifest.pod.deletion_requested;
  entry.state = is_over ? PodState::kTerminated : PodState::kNoCgroup;
  entry.manifest_origin = manifest.origin;
  return entry;
}

/// Smaller goes first. Pods with and without a creation time are kept apart, because a time and an
/// id cannot be compared and the order has to be a total one.
auto place_of(const PodEntry& entry) {
  const bool has_time = entry.pod.created_at.has_value();
  const auto time = has_time ? -entry.pod.created_at->time_since_epoch() : Duration{0};
  const std::uint64_t id = has_time || !entry.cgroup ? 0 : ~entry.cgroup->memory_id.id;
  return std::make_tuple(!entry.cgroup, entry.cgroup && !has_time,
                         entry.cgroup ? time : Duration{0}, id, std::string_view(entry.uid));
}

}  // namespace

std::string_view to_string(PodState state) {
  switch (state) {
    case PodState::kActive:
      return "active";
    case PodState::kNotYetRead:
      return "not_yet_read";
    case PodState::kUnknown:
      return "unknown";
    case PodState::kTerminated:
      return "terminated";
    case PodState::kEmpty:
      return "empty";
    case PodState::kNoCgroup:
      return "no_cgroup";
  }
  return "unknown";
}

std::string_view to_string(PodOrigin origin) {
  switch (origin) {
    case PodOrigin::kManifest:
      return "manifest";
    case PodOrigin::kPath:
      return "path";
    case PodOrigin::kRule:
      return "rule";
  }
  return "path";
}

PodTable join_pods(const JoinInputs& inputs) {
  PodTable table;
  const ManifestsByUid manifests = index_manifests(inputs, table.problems);
  std::set<std::string_view> with_cgroup;
  for (const PodCgroup* cgroup : inputs.cgroups) {
    const auto manifest = manifests.find(cgroup->uid);
    table.entries.push_back(
        entry_of(*cgroup, manifest == manifests.end() ? nullptr : manifest->second, inputs));
    with_cgroup.insert(cgroup->uid);
  }
  for (const Manifest* manifest : inputs.manifests) {
    const std::string_view uid = manifest->cgroup_uid;
    const bool counts = uid.empty() || manifests.at(uid) == manifest;
    if (counts && !with_cgroup.contains(uid)) {
      table.entries.push_back(entry_without_cgroup(*manifest));
    }
  }
  std::sort(table.entries.begin(), table.entries.end(),
            [](const PodEntry& a, const PodEntry& b) { return place_of(a) < place_of(b); });
  return table;
}

std::size_t PodTable::count(PodState state) const {
  return static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [&](const PodEntry& entry) { return entry.state == state; }));
}

const PodEntry* PodTable::find(std::string_view uid) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const PodEntry& entry) { return entry.uid == uid; });
  return found == entries.end() ? nullptr : &*found;
}

PodState state_with(const PodEntry& entry, const CgroupUsage& usage) {
  const bool is_waited_for = entry.state == PodState::kActive && !usage.has_memory();
  return is_waited_for ? PodState::kNotYetRead : entry.state;
}

}  // namespace evictd::cluster
