// SPDX-License-Identifier: Apache-2.0
#include "cluster/configured_places.h"

#include <optional>
#include <string>
#include <utility>

namespace evictd::cluster {

namespace {

std::optional<CgroupDriver> driver_of(config::CgroupDriver driver) {
  switch (driver) {
    case config::CgroupDriver::kAuto:
      return std::nullopt;
    case config::CgroupDriver::kCgroupfs:
      return CgroupDriver::kCgroupfs;
    case config::CgroupDriver::kSystemd:
      return CgroupDriver::kSystemd;
  }
  return std::nullopt;
}

/// "/a, /b, /c"
std::string in_words(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? "" : ", ") + path;
  }
  return text;
}

}  // namespace

PlaceOptions place_options(const config::Settings& settings) {
  return {.cgroup_root = settings.cgroup_root,
          .driver = driver_of(settings.cgroup_driver),
          .external_pods = external_rules(settings)};
}

std::vector<ExternalPodRule> external_rules(const config::Settings& settings) {
  std::vector<ExternalPodRule> rules;
  for (const config::PodGlob& glob : settings.pod_globs) {
    ExternalPodRule rule;
    rule.glob = glob.glob;
    rule.name = glob.name;
    rule.priority = glob.priority;
    rule.memory_request = glob.memory_request;
    rules.push_back(std::move(rule));
  }
  return rules;
}

Error no_pod_root(const CgroupTree& tree, const config::Settings& settings) {
  return fail(Errc::kNotFound, "no pod root for cgroupRoot \"" + settings.cgroup_root +
                                   "\": " + tree.layout().memory().mount + " has none of " +
                                   in_words(tree.rules().pod_roots()))
      .value();
}

}  // namespace evictd::cluster
