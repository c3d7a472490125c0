// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/cross_checker.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <utility>

namespace evictd::daemon {

namespace {

constexpr std::string_view kFilesGone = "files";

}  // namespace

CrossChecker::CrossChecker(probe::Probe& probe) : probe_(probe) {
  bounds_.cpus = static_cast<unsigned>(std::max(get_nprocs(), 1));
}

std::vector<CrossChecker::Cgroup> CrossChecker::cgroups(const PodRegistry& registry) {
  std::vector<Cgroup> found;
  if (!pod_root_files_) {
    // If they cannot be opened, the next check retries.
    if (Result<sys::CgroupFiles> files = registry.open_pod_root_files()) {
      pod_root_files_ = std::move(*files);
    }
  }
  if (pod_root_files_ && !registry.tree().pod_root().empty()) {
    Cgroup root{
        .name = "the pod root", .uid = "", .slot = kPodRootSlot, .bounds = bounds_, .readings = {}};
    root.bounds.stock_pages = poll::kAncestorStockPages;
    found.push_back(std::move(root));
  }
  for (const PodRegistry::Listed& listed : registry.list()) {
    if (listed.hot != nullptr) {
      found.push_back({.name = "pod " + listed.hot->uid,
                       .uid = listed.hot->uid,
                       .slot = listed.hot->slot,
                       .bounds = bounds_,
                       .readings = {}});
    }
  }
  return found;
}

std::vector<CrossChecker::Apart> CrossChecker::Cgroup::apart() const {
  std::vector<Apart> found;
  if (files_state == sys::ReadState::kGone && readings.after.has_memory()) {
    found.emplace_back(kFilesGone,
                       fmt::format("the files of {} are gone, but its row still exists", name));
  }
  if (files_state != sys::ReadState::kRead) {
    return found;
  }
  const poll::CrossCheck result = poll::cross_check(readings, bounds);
  for (const poll::Comparison& one : std::array{result.usage, result.inactive_file, result.tasks}) {
    if (!one.agrees()) {
      found.emplace_back(poll::to_string(one.quantity),
                         fmt::format("{} of {} differs by {}, more than its bound of {}",
                                     poll::to_string(one.quantity), name, one.by, one.bound));
    }
  }
  return found;
}

void CrossChecker::read_files(const PodRegistry& registry, Cgroup& cgroup, MonoTime now) {
  if (cgroup.uid.empty()) {
    cgroup.files_state = pod_root_files_->read(now, buffer_, cgroup.readings.files);
    return;
  }
  const Result<sys::CgroupFiles> files = registry.open_files_of(cgroup.uid);
  if (files) {
    cgroup.files_state = files->read(now, buffer_, cgroup.readings.files);
  } else {
    cgroup.readings.files = CgroupUsage{};
    cgroup.files_state =
        files.error().code == Errc::kNotFound ? sys::ReadState::kGone : sys::ReadState::kFailed;
  }
}

bool CrossChecker::read_one(const PodRegistry& registry, Cgroup& cgroup, MonoTime now) {
  if (!probe_.refresh()) {
    return false;
  }
  cgroup.readings.before = probe_.row(cgroup.slot);
  read_files(registry, cgroup, now);
  if (!probe_.refresh()) {
    return false;
  }
  cgroup.readings.after = probe_.row(cgroup.slot);
  return true;
}

std::vector<CrossChecker::Cgroup> CrossChecker::doubtful(const PodRegistry& registry,
                                                         MonoTime now) {
  if (!probe_.refresh()) {
    return {};
  }
  std::vector<Cgroup> all = cgroups(registry);
  for (Cgroup& cgroup : all) {
    cgroup.readings.before = probe_.row(cgroup.slot);
    read_files(registry, cgroup, now);
  }
  if (!probe_.refresh()) {
    return {};
  }
  std::vector<Cgroup> doubtful;
  for (Cgroup& cgroup : all) {
    cgroup.readings.after = probe_.row(cgroup.slot);
    if (!cgroup.apart().empty()) {
      doubtful.push_back(std::move(cgroup));
    }
  }
  return doubtful;
}

std::vector<CrossChecker::Apart> CrossChecker::node_apart(const PodRegistry& registry,
                                                          MonoTime now) {
  if (!node_files_) {
    // If they cannot be opened, the next check retries.
    if (Result<sys::NodeFiles> files = registry.open_node_files()) {
      node_files_ = std::move(*files);
    }
  }
  poll::NodeReadings readings;
  if (!node_files_ || !probe_.refresh()) {
    return {};
  }
  readings.before = probe_.node();
  node_files_->read_meminfo_pages(buffer_, readings.meminfo);
  // A value from other sources than these two files is another quantity.
  if (node_files_->memory_source() != sys::NodeMemorySource::kMemFree) {
    static_cast<void>(node_files_->read(now, buffer_, readings.root));
  }
  if (!probe_.refresh()) {
    return {};
  }
  readings.after = probe_.node();
  std::vector<Apart> apart;
  for (const auto& [quantity, file, one] : poll::cross_check(readings, bounds_)) {
    if (!one.agrees()) {
      apart.emplace_back(quantity,
                         fmt::format("{} of the node differs by {} from {}, more than its bound of "
                                     "{}",
                                     poll::to_string(one.quantity), one.by, file, one.bound));
    }
  }
  return apart;
}

void CrossChecker::judge(const std::string& name, std::optional<std::uint32_t> slot,
                         const std::vector<Apart>& apart) {
  for (const auto& [what, text] : apart) {
    const auto suspect = std::pair(name, what);
    found_.insert(suspect);
    if (suspects_.contains(suspect)) {
      ++counters_.disagreements;
      disagreements_.push_back({.slot = slot, .text = text});
    }
  }
}

std::vector<CrossChecker::Disagreement> CrossChecker::check(const PodRegistry& registry,
                                                            MonoTime now) {
  ++counters_.checks;
  std::vector<Cgroup> doubted = doubtful(registry, now);
  for (Cgroup& cgroup : doubted) {
    if (read_one(registry, cgroup, now)) {
      judge(cgroup.name, cgroup.slot, cgroup.apart());
    }
  }
  if (!node_apart(registry, now).empty()) {
    judge("the node", std::nullopt, node_apart(registry, now));
  }
  suspects_ = std::exchange(found_, {});
  return std::exchange(disagreements_, {});
}

}  // namespace evictd::daemon
