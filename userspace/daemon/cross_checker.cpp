// SPDX-License-Identifier: Apache-2.0
#include "daemon/cross_checker.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>

namespace evictd::daemon {

CrossChecker::CrossChecker(probe::Probe& probe) : probe_(probe) {
  bounds_.cpus = static_cast<unsigned>(std::max(get_nprocs(), 1));
}

std::optional<poll::CrossCheck> CrossChecker::check_one(const HotPod& pod, MonoTime now) {
  poll::CrossReadings readings;
  if (!probe_.refresh()) {
    return std::nullopt;
  }
  readings.before = probe_.row(pod.slot);
  if (pod.files.read(now, buffer_, readings.files) != sys::ReadState::kRead || !probe_.refresh()) {
    return std::nullopt;
  }
  readings.after = probe_.row(pod.slot);
  return poll::cross_check(readings, bounds_);
}

std::vector<const HotPod*> CrossChecker::doubtful(const PodRegistry& registry, MonoTime now) {
  struct Candidate {
    const HotPod* pod;
    poll::CrossReadings readings;
  };
  std::vector<Candidate> candidates;
  if (!probe_.refresh()) {
    return {};
  }
  for (const PodRegistry::Listed& listed : registry.list()) {
    if (listed.hot == nullptr) {
      continue;
    }
    Candidate candidate{.pod = listed.hot, .readings = {}};
    candidate.readings.before = probe_.row(listed.hot->slot);
    if (listed.hot->files.read(now, buffer_, candidate.readings.files) == sys::ReadState::kRead) {
      candidates.push_back(candidate);
    }
  }
  if (!probe_.refresh()) {
    return {};
  }
  std::vector<const HotPod*> doubtful;
  for (Candidate& candidate : candidates) {
    candidate.readings.after = probe_.row(candidate.pod->slot);
    if (!poll::cross_check(candidate.readings, bounds_).agrees()) {
      doubtful.push_back(candidate.pod);
    }
  }
  return doubtful;
}

std::vector<std::string> CrossChecker::check(const PodRegistry& registry, MonoTime now) {
  ++counters_.checks;
  std::vector<std::string> lines;
  std::set<std::pair<std::string, std::string_view>> found;
  for (const HotPod* pod : doubtful(registry, now)) {
    const std::optional<poll::CrossCheck> result = check_one(*pod, now);
    if (!result) {
      continue;
    }
    for (const poll::Comparison& one :
         std::array{result->usage, result->inactive_file, result->tasks}) {
      if (one.agrees()) {
        continue;
      }
      const auto suspect = std::pair(pod->uid, poll::to_string(one.quantity));
      const bool again = suspects_.contains(suspect);
      found.insert(suspect);
      if (again) {
        ++counters_.disagreements;
        lines.push_back(fmt::format("{} of pod {} is {} apart, more than its bound of {}",
                                    poll::to_string(one.quantity), pod->uid, one.by, one.bound));
      }
    }
  }
  suspects_ = std::move(found);
  return lines;
}

}  // namespace evictd::daemon
