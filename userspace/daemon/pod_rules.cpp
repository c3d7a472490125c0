// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_rules.h"

#include <chrono>
#include <utility>

namespace evictd::daemon {

namespace {

std::optional<cluster::CgroupDriver> driver_of(config::CgroupDriver driver) {
  switch (driver) {
    case config::CgroupDriver::kAuto:
      return std::nullopt;
    case config::CgroupDriver::kCgroupfs:
      return cluster::CgroupDriver::kCgroupfs;
    case config::CgroupDriver::kSystemd:
      return cluster::CgroupDriver::kSystemd;
  }
  return std::nullopt;
}

}  // namespace

enforce::Protection protection_of(const cluster::PodEntry& entry, const eviction::PodFacts& facts) {
  if (facts.is_static) {
    return enforce::Protection::kStatic;
  }
  if (facts.is_mirror) {
    return enforce::Protection::kMirror;
  }
  if (facts.is_critical) {
    return enforce::Protection::kCritical;
  }
  if (facts.never_evict) {
    return enforce::Protection::kNeverEvict;
  }
  return entry.state == cluster::PodState::kUnknown ? enforce::Protection::kUnknown
                                                    : enforce::Protection::kNone;
}

bool is_below_pod_root(const cluster::PodCgroup& cgroup, std::string_view pod_root) {
  const std::string_view path = cgroup.path;
  return !cgroup.external_rule || (!pod_root.empty() && path.size() > pod_root.size() &&
                                   path.starts_with(pod_root) && path[pod_root.size()] == '/');
}

cluster::PlaceOptions place_options(const config::Settings& settings) {
  return {.cgroup_root = settings.cgroup_root,
          .driver = driver_of(settings.cgroup_driver),
          .external_pods = external_rules(settings)};
}

std::vector<cluster::ExternalPodRule> external_rules(const config::Settings& settings) {
  std::vector<cluster::ExternalPodRule> rules;
  for (const config::PodGlob& glob : settings.pod_globs) {
    cluster::ExternalPodRule rule;
    rule.glob = glob.glob;
    rule.name = glob.name;
    rule.priority = glob.priority;
    rule.memory_request = glob.memory_request;
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::int64_t seconds_of(const std::optional<WallTime>& created_at) {
  return created_at
             ? std::chrono::duration_cast<std::chrono::seconds>(created_at->time_since_epoch())
                   .count()
             : 0;
}

}  // namespace evictd::daemon
