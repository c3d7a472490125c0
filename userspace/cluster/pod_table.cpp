// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "eviction/pod_facts.h"

namespace evictd::cluster {

namespace {

/// The combined content of the manifests with one uid.
struct Described {
  const Manifest* first = nullptr;
  /// The first one's pod, with the protection of the others added; unset without others.
  std::unique_ptr<eviction::Pod> united;

  [[nodiscard]] const eviction::Pod& pod() const { return united ? *united : first->pod; }
};
using ManifestsByUid = std::map<std::string_view, Described>;

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

/// Whether they are an API server's mirror and its static pod, in either order.
bool are_mirror_and_static(const Manifest& a, const Manifest& b) {
  const auto shows = [](const Manifest& mirror, const Manifest& original) {
    return is_mirror(mirror.pod) && is_static(original.pod) && !is_mirror(original.pod);
  };
  return shows(a, b) || shows(b, a);
}

/// `added`: `manifest` adds protection that the earlier ones lack.
Error claimed_twice(const Manifest& manifest, const Manifest& first, bool added) {
  return {Errc::kInvalid, 0,
          manifest.origin + ": metadata.uid: '" + manifest.cgroup_uid + "' is also the uid at " +
              first.origin + ", which evictd uses; allowed: one manifest per uid, " +
              (added ? "continuing with the protection of both" : "continuing without it")};
}

/// Returns the first manifest of each uid. Protection in any manifest of a pod applies. Directories
/// of static manifests come last, and a pod in one of them is static, whatever other manifests say.
ManifestsByUid unite_manifests(const JoinInputs& inputs, std::vector<Error>& problems) {
  ManifestsByUid by_uid;
  for (const Manifest* manifest : inputs.manifests) {
    if (manifest->cgroup_uid.empty()) {
      continue;
    }
    Described& described = by_uid[manifest->cgroup_uid];
    if (described.first == nullptr) {
      described.first = manifest;
      continue;
    }
    const Manifest& first = *described.first;
    const bool is_pair = !described.united && are_mirror_and_static(first, *manifest);
    if (!described.united) {
      described.united = std::make_unique<eviction::Pod>(first.pod);
    }
    const bool added = protect_as(*described.united, manifest->pod);
    if (!is_pair) {
      problems.push_back(claimed_twice(*manifest, first, added));
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

PodEntry entry_of(const PodCgroup& cgroup, const Described* described, const JoinInputs& inputs) {
  PodEntry entry;
  entry.uid = cgroup.uid;
  entry.cgroup = cgroup;
  if (described != nullptr) {
    entry.origin = PodOrigin::kManifest;
    entry.pod = described->pod();
    entry.manifest_origin = described->first->origin;
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

PodEntry entry_without_cgroup(const Manifest& manifest, const eviction::Pod& pod) {
  PodEntry entry;
  entry.uid = manifest.cgroup_uid.empty() ? manifest.origin : manifest.cgroup_uid;
  entry.pod = pod;
  entry.origin = PodOrigin::kManifest;
  const bool is_over = has_ended(pod) || pod.deletion_requested;
  entry.state = is_over ? PodState::kTerminated : PodState::kNoCgroup;
  entry.manifest_origin = manifest.origin;
  return entry;
}

/// Smaller goes first. Pods with and without a creation time are kept apart: a time and an id
/// cannot be compared, and the order must be total.
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
  const ManifestsByUid manifests = unite_manifests(inputs, table.problems);
  std::set<std::string_view> with_cgroup;
  for (const PodCgroup* cgroup : inputs.cgroups) {
    const auto described = manifests.find(cgroup->uid);
    table.entries.push_back(
        entry_of(*cgroup, described == manifests.end() ? nullptr : &described->second, inputs));
    with_cgroup.insert(cgroup->uid);
  }
  for (const Manifest* manifest : inputs.manifests) {
    const std::string_view uid = manifest->cgroup_uid;
    if (uid.empty()) {
      table.entries.push_back(entry_without_cgroup(*manifest, manifest->pod));
    } else if (const Described& described = manifests.at(uid);
               described.first == manifest && !with_cgroup.contains(uid)) {
      table.entries.push_back(entry_without_cgroup(*manifest, described.pod()));
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

}  // namespace evictd::cluster
