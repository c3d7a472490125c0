// SPDX-License-Identifier: Apache-2.0
// A new configuration, whole or not at all, and the levels that the kernel side watches for it.
#include <fcntl.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "config/change.h"
#include "config/effective.h"
#include "daemon/configuration.h"
#include "daemon/housekeeping.h"
#include "daemon/preparations.h"
#include "daemon/storage/disk_watch.h"

namespace evictd::daemon {

void Housekeeping::reload() {
  service_.reloading(options_.clock->now());
  if (Result<> reloaded = try_reload(); !reloaded) {
    options_.log->warn(reloaded.error().message() + ", continuing without the new configuration");
  }
  static_cast<void>(service_.ready());
}

Result<> Housekeeping::try_reload() {
  if (!options_.sources.has_files()) {
    return fail(Errc::kInvalid,
                "reload: evictd was started without --config, --kubelet-config or "
                "--kubelet-config-dir");
  }
  Result<config::Config> loaded = load_config(options_.sources);
  if (!loaded) {
    return fail_in("reload", loaded.error());
  }
  if (const Result<> allowed = config::check_reload(*config_, *loaded); !allowed) {
    return fail_in("reload", allowed.error());
  }
  auto config = std::make_shared<const config::Config>(std::move(*loaded));
  Result<std::unique_ptr<HotConfig>> hot = hot_config_of(*config, options_.growth);
  if (!hot) {
    return fail_in("reload", hot.error());
  }
  Result<disk::SampleWatch> watch = sample_watch_of(*config, options_.filesystems->layout());
  if (!watch) {
    return fail_in("reload", watch.error());
  }
  const std::size_t changes = config::diff(*config_, *config).size();
  const bool memory_changed = config_->settings().memory != config->settings().memory;
  const bool dry_run_changed = config_->settings().dry_run != config->settings().dry_run;
  config_ = std::move(config);
  std::vector<PodUpdate> updates = options_.registry->reload(config_);
  options_.filesystems->set_watch(*watch);
  journal_->add("daemon", {{"what", "reloaded"}});
  options_.log->set_options(config_->settings().log);
  (*hot)->generation = ++config_generation_;
  rules_.use(config_generation_, {.thresholds = std::move(watch->thresholds),
                                  .compat = config_->settings().compatibility});
  if (recorder_) {
    recorder_->use_config(config_generation_, config::effective_yaml(*config_));
  }
  storage_->use(config_);
  send_updates(std::move(updates));
  log_problems();
  send(UseConfig{options_.loans->lend(std::move(*hot))});
  if (dry_run_changed && wishes_.dry_run) {
    wishes_.dry_run.reset();
    send(SetWishes{.wishes = wishes_, .generation = ++wishes_generation_});
  }
  keeper_->set_wishes(wishes_, config_->settings().dry_run);
  if (memory_changed) {
    capacities_.node_memory = {};  // Until the first pass of the new configuration.
    log_memory_rules();
  }
  set_watch_points(capacities_);
  log_warnings(*config_, *options_.log);
  options_.log->info("configuration reloaded",
                     {{"file", config::to_string(options_.sources)},
                      {"changed_keys", static_cast<std::int64_t>(changes)}});
  return {};
}

void Housekeeping::set_watch_points(const Capacities& capacities) {
  capacities_ = capacities;
  if (options_.probe == nullptr) {
    return;
  }
  const cluster::CgroupTree& tree = options_.registry->tree();
  const auto open_dir = [&](const sys::Hierarchy& hierarchy) {
    return options_.root->open_file(hierarchy.path_of(tree.pod_root()), O_RDONLY | O_DIRECTORY)
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
      root.pids = sys::cgroup_id(*options_.root, *tree.layout().pids(), tree.pod_root())
                      .value_or(CgroupId{});
      root.pids_fd = pids.get();
    }
  }
  const config::Settings& settings = config_->settings();
  const std::vector<probe::WatchedThreshold> points =
      watch_points(config_->thresholds(),
                   {.capacities = capacities,
                    .root = root,
                    .pid_source = settings.pid_available_source,
                    .hysteresis = settings.hysteresis,
                    .floor = {.amount = settings.hard_eviction.floor.amount,
                              .percent_of_threshold = settings.hard_eviction.floor.percent},
                    .guard = settings.hard_eviction.oom_guard && options_.probe->knows_reserve()});
  const Result<std::vector<std::uint64_t>> set = options_.probe->set_thresholds(points);
  const std::string problem = set ? std::string() : set.error().message();
  if (!set) {
    // Differs from any pass's values, so the next pass tries again.
    capacities_ = {};
  }
  if (std::exchange(watch_problem_, problem) == problem) {
    return;
  }
  if (set) {
    options_.log->info("thresholds are watched again");
  } else {
    options_.log->warn("cannot watch thresholds: " + problem +
                       ", continuing without kernel events for them");
  }
}

}  // namespace evictd::daemon
