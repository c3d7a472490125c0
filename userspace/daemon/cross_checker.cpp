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

std::vector<std::string> CrossChecker::check(const PodRegistry& registry, MonoTime now) {
  ++counters_.checks;
  std::vector<std::string> lines;
  std::set<std::pair<std::string, std::string_view>> found;
  for (const PodRegistry::Listed& pod : registry.list()) {
    if (pod.hot == nullptr || !probe_.refresh()) {
      continue;
    }
    poll::CrossReadings readings;
    readings.before = probe_.row(pod.hot->slot);
    if (pod.hot->files.read(now, buffer_, readings.files) != sys::ReadState::kRead ||
        !probe_.refresh()) {
      continue;
    }
    readings.after = probe_.row(pod.hot->slot);
    const poll::CrossCheck result = poll::cross_check(readings, bounds_);
    for (const poll::Comparison& one :
         std::array{result.usage, result.inactive_file, result.tasks}) {
      if (one.agrees()) {
        continue;
      }
      const auto suspect = std::pair(pod.hot->uid, poll::to_string(one.quantity));
      const bool again = suspects_.contains(suspect);
      found.insert(suspect);
      if (again) {
        ++counters_.disagreements;
        lines.push_back(fmt::format("{} of pod {} is {} apart, more than its bound of {}",
                                    poll::to_string(one.quantity), pod.hot->uid, one.by,
                                    one.bound));
      }
    }
  }
  suspects_ = std::move(found);
  return lines;
}

}  // namespace evictd::daemon
