// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/watched_thresholds.h"

#include <fcntl.h>

#include <utility>

#include "daemon/shared/node_memory.h"
#include "sys/kernel_text.h"

namespace evictd::daemon {

void WatchedThresholds::reload(const config::Settings& before) {
  if (before.memory != context_.settings().memory) {
    capacities_.node_memory = {};  // Until the first pass of the new configuration.
    log_memory_rules();
  }
  watch(Capacities(capacities_));
}

void WatchedThresholds::follow_pass(const PassCopy& copy) {
  const Capacities capacities{
      .node_memory = watched_node_memory(copy),
      .pod_root_memory =
          copy.pod_root.limit.value == sys::kNoLimit ? Bytes{-1} : copy.pod_root.limit,
      .node_tasks = copy.node.max_pid,
      .pod_root_tasks = copy.pod_root_max_tasks == sys::kNoLimit ? -1 : copy.pod_root_max_tasks};
  if (capacities != capacities_) {
    watch(capacities);
  }
}

void WatchedThresholds::watch_again() {
  // Without capacities the next pass sets them.
  if (capacities_ != Capacities{}) {
    watch(Capacities(capacities_));
  }
}

NodeMemory WatchedThresholds::watched_node_memory(const PassCopy& copy) const {
  const auto& seen = copy.observations[eviction::Signal::kMemoryAvailable];
  // A pass may have begun before a reload changed its rules.
  if (!seen || copy.memory != context_.settings().memory ||
      memory_watcher(*context_.ladder, copy.memory) == Watcher::kPolling) {
    return {};
  }
  return steadied(capacities_.node_memory, node_memory(copy.node, *seen, copy.memory));
}

void WatchedThresholds::watch(const Capacities& capacities) {
  capacities_ = capacities;
  if (context_.probe == nullptr) {
    return;
  }
  const cluster::CgroupTree& tree = context_.registry->tree();
  const auto open_dir = [&](const sys::Hierarchy& hierarchy) {
    return context_.root->open_file(hierarchy.path_of(tree.pod_root()), O_RDONLY | O_DIRECTORY)
        .value_or(base::Fd{});
  };
  WatchedRoot root;
  base::Fd memory;
  base::Fd pids;
  if (!tree.pod_root().empty()) {
    memory = open_dir(tree.layout().memory());
    root.memory = tree.pod_root_id();
    root.memory_fd = memory.get();
    if (tree.layout().pids()) {
      pids = open_dir(*tree.layout().pids());
      root.pids = sys::cgroup_id(*context_.root, *tree.layout().pids(), tree.pod_root())
                      .value_or(CgroupId{});
      root.pids_fd = pids.get();
    }
  }
  const config::Settings& now = context_.settings();
  const std::vector<probe::WatchedThreshold> points =
      watch_points(context_.config->thresholds(),
                   {.capacities = capacities,
                    .root = root,
                    .pid_source = now.pid_available_source,
                    .hysteresis = now.hysteresis,
                    .floor = {.amount = now.hard_eviction.floor.amount,
                              .percent_of_threshold = now.hard_eviction.floor.percent},
                    .guard = now.hard_eviction.oom_guard && context_.probe->knows_reserve()});
  const Result<std::vector<std::uint64_t>> set = context_.probe->set_thresholds(points);
  const std::string problem = set ? std::string() : set.error().message();
  if (!set) {
    // Differs from any pass's values, so the next pass tries again.
    capacities_ = {};
  }
  report_problem(problem);
}

void WatchedThresholds::report_problem(const std::string& problem) {
  if (std::exchange(problem_, problem) == problem) {
    return;
  }
  if (problem.empty()) {
    context_.log->info("thresholds are watched again");
  } else {
    context_.log->warn("cannot watch thresholds: " + problem +
                       ", continuing without kernel events for them");
  }
}

bool WatchedThresholds::swap_counts() const {
  return guard_.terms && guard_.terms->swap_permille > 0;
}

void WatchedThresholds::check_reserve_terms() {
  const Result<sys::ReserveTerms> terms = sys::read_reserve_terms(*context_.root);
  const std::string problem = terms ? std::string() : terms.error().message();
  if (std::exchange(guard_.problem, problem) != problem && !terms) {
    context_.log->warn("cannot read the inputs of the OOM guard: " + problem +
                       ", continuing with the last known values");
  }
  if (terms && guard_.terms != *terms) {
    guard_.terms = *terms;
    context_.guard_terms->put(*terms);
    if (context_.probe != nullptr) {
      const bool known = context_.probe->knows_reserve();
      context_.probe->set_guard(guard_terms(*terms));
      if (known != context_.probe->knows_reserve()) {
        watch_again();
      }
    }
  }
  if (guard_.terms && context_.probe != nullptr) {
    report_guard_watcher();
  }
}

void WatchedThresholds::report_guard_watcher() {
  const bool alone =
      context_.settings().hard_eviction.oom_guard && !context_.probe->knows_reserve();
  if (std::exchange(guard_.unwatched, alone) == alone) {
    return;
  }
  const std::string text =
      alone ? "the kernel side does not know how much the kernel can still give: the OOM guard has "
              "passes and polling alone"
            : "the kernel side reports to the OOM guard again";
  records_.report_degraded("oom_guard", alone, text);
  alone ? context_.log->warn(text) : context_.log->info(text);
}

void WatchedThresholds::log_memory_rules() const {
  const eviction::MemoryRules& rules = context_.settings().memory;
  if (context_.probe == nullptr || rules.follow_working_set()) {
    return;
  }
  if (memory_watcher(*context_.ladder, rules) == Watcher::kPolling) {
    context_.log->warn(
        "memory.available is not total less working set (memoryAvailableSource, swapAware) and no "
        "hook serves it, continuing without kernel events for it: evictd polls it, more often as "
        "it nears a threshold");
    return;
  }
  context_.log->info(
      "memory.available is not total less working set (memoryAvailableSource, swapAware): the "
      "kernel side watches the values that move with it, and evictd polls it too, more often as it "
      "nears a threshold");
}

}  // namespace evictd::daemon
