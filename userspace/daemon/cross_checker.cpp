// SPDX-License-Identifier: Apache-2.0
#include "daemon/cross_checker.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <utility>

namespace evictd::daemon {

CrossChecker::CrossChecker(probe::Probe& probe) : probe_(probe) {
  bounds_.cpus = static_cast<unsigned>(std::max(get_nprocs(), 1));
}

std::vector<CrossChecker::Cgroup> CrossChecker::cgroups(const PodRegistry& registry) {
  std::vector<Cgroup> found;
  if (!pod_root_files_) {
    // Without them it is asked for again next time.
    if (Result<sys::CgroupFiles> files = registry.open_pod_root_files()) {
      pod_root_files_ = std::move(*files);
    }
  }
  if (pod_root_files_ && !registry.tree().pod_root().empty()) {
    Cgroup root{.name = "the pod root",
                .slot = kPodRootSlot,
                .files = &*pod_root_files_,
                .bounds = bounds_,
                .readings = {}};
    root.bounds.stock_pages = poll::kAncestorStockPages;
    found.push_back(std::move(root));
  }
  for (const PodRegistry::Listed& listed : registry.list()) {
    if (listed.hot != nullptr) {
      found.push_back({.name = "pod " + listed.hot->uid,
                       .slot = listed.hot->slot,
                       .files = &listed.hot->files,
                       .bounds = bounds_,
                       .readings = {}});
    }
  }
  return found;
}

std::optional<poll::CrossCheck> CrossChecker::check_one(Cgroup& cgroup, MonoTime now) {
  poll::CrossReadings& readings = cgroup.readings;
  if (!probe_.refresh()) {
    return std::nullopt;
  }
  readings.before = probe_.row(cgroup.slot);
  if (cgroup.files->read(now, buffer_, readings.files) != sys::ReadState::kRead ||
      !probe_.refresh()) {
    return std::nullopt;
  }
  readings.after = probe_.row(cgroup.slot);
  return poll::cross_check(readings, cgroup.bounds);
}

std::vector<CrossChecker::Cgroup> CrossChecker::doubtful(const PodRegistry& registry,
                                                         MonoTime now) {
  if (!probe_.refresh()) {
    return {};
  }
  std::vector<Cgroup> candidates;
  std::vector<Cgroup> all = cgroups(registry);
  for (Cgroup& cgroup : all) {
    cgroup.readings.before = probe_.row(cgroup.slot);
    if (cgroup.files->read(now, buffer_, cgroup.readings.files) == sys::ReadState::kRead) {
      candidates.push_back(std::move(cgroup));
    }
  }
  if (!probe_.refresh()) {
    return {};
  }
  std::vector<Cgroup> doubtful;
  for (Cgroup& cgroup : candidates) {
    cgroup.readings.after = probe_.row(cgroup.slot);
    if (!poll::cross_check(cgroup.readings, cgroup.bounds).agrees()) {
      doubtful.push_back(std::move(cgroup));
    }
  }
  return doubtful;
}

std::vector<std::string> CrossChecker::check(const PodRegistry& registry, MonoTime now) {
  ++counters_.checks;
  std::vector<std::string> lines;
  std::set<std::pair<std::string, std::string_view>> found;
  std::vector<Cgroup> apart = doubtful(registry, now);
  for (Cgroup& cgroup : apart) {
    const std::optional<poll::CrossCheck> result = check_one(cgroup, now);
    if (!result) {
      continue;
    }
    for (const poll::Comparison& one :
         std::array{result->usage, result->inactive_file, result->tasks}) {
      if (one.agrees()) {
        continue;
      }
      const auto suspect = std::pair(cgroup.name, poll::to_string(one.quantity));
      const bool again = suspects_.contains(suspect);
      found.insert(suspect);
      if (again) {
        ++counters_.disagreements;
        lines.push_back(fmt::format("{} of {} is {} apart, more than its bound of {}",
                                    poll::to_string(one.quantity), cgroup.name, one.by, one.bound));
      }
    }
  }
  suspects_ = std::move(found);
  return lines;
}

}  // namespace evictd::daemon
