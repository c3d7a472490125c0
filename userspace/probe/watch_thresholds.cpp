// SPDX-License-Identifier: Apache-2.0
// The half of WatchRegistry that writes thresholds.
#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include "evictd/try.h"
#include "probe/loader.h"
#include "probe/skeleton.h"
#include "probe/watch_registry.h"

namespace evictd::probe {
namespace {

bool is_node_signal(Signal signal) {
  return signal == Signal::kNodeWorkingSet || signal == Signal::kNodeTasks ||
         signal == Signal::kNodeTaken || signal == Signal::kNodeReserve;
}

template <typename T>
void store_count(T& variable, std::uint32_t value) {
  __atomic_store_n(&variable, value, __ATOMIC_RELEASE);
}

template <typename Value>
Result<> write(bpf_map* map, std::uint32_t index, const Value& value) {
  if (bpf_map__update_elem(map, &index, sizeof(index), &value, sizeof(value), BPF_ANY) != 0) {
    return fail_errno(errno, std::string("write map ") + bpf_map__name(map));
  }
  return {};
}

}  // namespace

Result<WatchRegistry::Groups> WatchRegistry::group(std::span<const WatchedThreshold> thresholds,
                                                   std::vector<std::uint64_t>& gone) {
  Groups groups;
  std::set<std::uint64_t> ids;
  for (const WatchedThreshold& threshold : thresholds) {
    if (!ids.insert(threshold.id).second) {
      return fail(Errc::kInvalid, "threshold id " + std::to_string(threshold.id) + " given twice");
    }
    CgroupId cgroup;
    if (!is_node_signal(threshold.signal)) {
      cgroup = threshold.cgroup;
      const int fd = threshold.cgroup_fd;
      const Result<Tracked*> tracked =
          fd < 0 ? known(cgroup) : track(cgroup, resolver_.resolve(fd, cgroup));
      if (!tracked && tracked.error().code == Errc::kNotFound) {
        gone.push_back(threshold.id);
        continue;
      }
      if (!tracked) {
        return fail_in("watch the cgroup of a threshold", tracked.error());
      }
    }
    groups[{threshold.signal, cgroup}].push_back(&threshold);
  }
  if (ids.size() > options_.max_thresholds || groups.size() > options_.max_watches) {
    return fail(Errc::kExhausted, "more thresholds than max_thresholds or max_watches allow");
  }
  return groups;
}

std::map<WatchRegistry::Identity, std::uint32_t> WatchRegistry::states() const {
  std::map<Identity, std::uint32_t> states;
  for (std::uint32_t index = 0; index < written_.size(); ++index) {
    evictd_threshold threshold{};
    if (bpf_map__lookup_elem(skeleton_.maps.thresholds, &index, sizeof(index), &threshold,
                             sizeof(threshold), 0) == 0) {
      states[written_[index]] = threshold.state;
    }
  }
  return states;
}

void WatchRegistry::pause_watches() {
  store_count(skeleton_.bss->watch_limit, 0);
  store_count(skeleton_.bss->task_watches, 0);
  store_count(skeleton_.bss->node_memory_watch, 0);
  store_count(skeleton_.bss->node_tasks_watch, 0);
  store_count(skeleton_.bss->guard_watch, 0);
  task_watches_ = 0;
  node_memory_watch_ = 0;
  node_tasks_watch_ = 0;
  guard_watch_ = 0;
  for (auto& [id, tracked] : tracked_) {
    tracked.working_set_watch = 0;
    tracked.usage_watch = 0;
    tracked.tasks_watch = 0;
  }
}

void WatchRegistry::resume_watches(std::uint32_t watches) {
  store_count(skeleton_.bss->node_memory_watch, node_memory_watch_);
  store_count(skeleton_.bss->node_tasks_watch, node_tasks_watch_);
  store_count(skeleton_.bss->guard_watch, guard_watch_);
  store_count(skeleton_.bss->task_watches, task_watches_);
  store_count(skeleton_.bss->watch_limit, watches);
}

Result<evictd_watch> WatchRegistry::make_watch(const GroupKey& key, std::uint32_t index) {
  const auto& [signal, id] = key;
  evictd_watch watch{};
  watch.signal = static_cast<std::uint32_t>(signal);
  watch.force = 1;
  if (signal == Signal::kNodeWorkingSet || signal == Signal::kNodeTaken) {
    node_memory_watch_ = index + 1;
    return watch;
  }
  if (signal == Signal::kNodeTasks) {
    node_tasks_watch_ = index + 1;
    return watch;
  }
  if (signal == Signal::kNodeReserve) {
    guard_watch_ = index + 1;
    return watch;
  }
  Tracked& tracked = tracked_.at(id);
  watch.cgroup = tracked.resolved.cgroup;
  watch.inactive_file = tracked.resolved.inactive_file;
  const bool tasks = signal == Signal::kCgroupTasks;
  watch.counter = tasks ? tracked.resolved.pids_counter : tracked.resolved.memory_counter;
  if (watch.counter == 0) {
    return fail(Errc::kInvalid, "a threshold's cgroup is not in the hierarchy of its controller");
  }
  if (tasks) {
    tracked.tasks_watch = index + 1;
    ++task_watches_;
  } else {
    (signal == Signal::kCgroupWorkingSet ? tracked.working_set_watch : tracked.usage_watch) =
        index + 1;
  }
  return watch;
}

Result<> WatchRegistry::write_thresholds(const GroupKey& key,
                                         std::span<const WatchedThreshold* const> members,
                                         std::uint32_t first,
                                         const std::map<Identity, std::uint32_t>& old_states) {
  for (const WatchedThreshold* member : members) {
    const Identity identity{member->id, key.first, key.second, member->value, member->hysteresis};
    const auto old = old_states.find(identity);
    const evictd_threshold threshold{
        .id = member->id,
        .value = member->value,
        .hysteresis = member->hysteresis,
        .state = old == old_states.end() ? std::uint32_t{EVICTD_THRESHOLD_UNKNOWN} : old->second,
        .pad = 0};
    EVICTD_TRY(write(skeleton_.maps.thresholds, first++, threshold));
    written_.push_back(identity);
  }
  return {};
}

Result<> WatchRegistry::write_group(const GroupKey& key,
                                    std::span<const WatchedThreshold* const> members,
                                    std::uint32_t index,
                                    const std::map<Identity, std::uint32_t>& old_states) {
  EVICTD_ASSIGN_OR_RETURN(evictd_watch watch, make_watch(key, index));
  watch.first = static_cast<std::uint32_t>(written_.size());
  watch.count = static_cast<std::uint32_t>(members.size());
  Result<> done = write_thresholds(key, members, watch.first, old_states);
  return done ? write(skeleton_.maps.watches, index, watch) : done;
}

Result<> WatchRegistry::write_groups(const Groups& groups) {
  const std::map<Identity, std::uint32_t> old_states = states();
  pause_watches();
  written_.clear();
  std::uint32_t index = 0;
  Result<> done;
  for (const auto& [key, members] : groups) {
    done = write_group(key, members, index, old_states);
    if (!done) {
      // Earlier groups stay watched; the caller gets the error and tries again.
      break;
    }
    ++index;
  }
  if (Result<> published = publish_tracked(); done) {
    done = std::move(published);
  }
  resume_watches(index);
  return done;
}

Result<> WatchRegistry::publish_tracked() {
  std::vector<CgroupId> ids;
  for (auto& [id, tracked] : tracked_) {
    if (tracked.published == tracked.indices()) {
      continue;
    }
    ids.push_back(id);
    EVICTD_TRY(publish(tracked));
  }
  for (const CgroupId id : ids) {
    retract_if_unused(id);
  }
  return {};
}

Result<std::vector<std::uint64_t>> WatchRegistry::set_thresholds(
    std::span<const WatchedThreshold> thresholds) {
  std::vector<std::uint64_t> gone;
  EVICTD_ASSIGN_OR_RETURN(const Groups groups, group(thresholds, gone));
  Result<> done = write_groups(groups);
  if (done) {
    done = run_program(bpf_program__fd(skeleton_.progs.sweep_compare));
  }
  if (!done) {
    return fail_in("set thresholds", done.error());
  }
  return gone;
}

}  // namespace evictd::probe
