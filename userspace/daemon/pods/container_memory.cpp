// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/container_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace evictd::daemon {

void ContainerMemory::begin_round(const cluster::PodTable& table) {
  // By path: the id in it belongs to one container only.
  std::map<std::string, Known, std::less<>> earlier;
  for (Known& one : known_) {
    std::string path = one.container.path;
    earlier.emplace(std::move(path), std::move(one));
  }
  known_.clear();
  for (const cluster::PodEntry& entry : table.entries) {
    for (cluster::NamedContainer& container : cluster::named_containers(entry)) {
      const auto found = earlier.find(container.path);
      if (found != earlier.end() && found->second.container == container) {
        known_.push_back(std::move(found->second));
      } else {
        known_.push_back({.uid = entry.uid,
                          .container = std::move(container),
                          .newest = std::nullopt,
                          .before = std::nullopt});
      }
    }
  }
  next_ = 0;
}

void ContainerMemory::refresh(const cluster::PodTable& table, const sys::CgroupLayout& layout) {
  const MonoTime now = clock_.now();
  if (next_ == known_.size() && (!next_round_ || now >= *next_round_)) {
    begin_round(table);
    next_round_ = now + kInterval;
  }
  const std::size_t share = std::max(kLeastACall, known_.size() / kCalls + 1);
  for (const std::size_t end = std::min(known_.size(), next_ + share); next_ < end; ++next_) {
    read(layout, known_[next_]);
  }
}

void ContainerMemory::read(const sys::CgroupLayout& layout, Known& one) {
  CgroupUsage usage;
  const Result<sys::CgroupFiles> files =
      sys::CgroupFiles::open(root_, layout, one.container.path, sys::CgroupFileSet::kMemory);
  if (!files || files->read(clock_.now(), buffer_, usage) != sys::ReadState::kRead) {
    // Gone, or unreadable: its former usage is no longer valid.
    one.newest.reset();
    one.before.reset();
    return;
  }
  one.before =
      std::exchange(one.newest, Reading{.working_set = usage.working_set(), .at = clock_.now()});
}

std::vector<ContainerSample> ContainerMemory::as_of(std::string_view uid, MonoTime moment) const {
  std::vector<ContainerSample> samples;
  for (const Known& one : known_) {
    if (one.uid != uid) {
      continue;
    }
    for (const std::optional<Reading>& reading : {one.newest, one.before}) {
      if (reading && reading->at <= moment) {
        samples.push_back({.name = one.container.name,
                           .working_set = reading->working_set,
                           .read_at = reading->at});
        break;
      }
    }
  }
  return samples;
}

}  // namespace evictd::daemon
