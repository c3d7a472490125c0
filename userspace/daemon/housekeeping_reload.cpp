// SPDX-License-Identifier: Apache-2.0
// A new configuration, whole or not at all.
#include <nlohmann/json.hpp>
#include <utility>

#include "config/change.h"
#include "daemon/configuration.h"
#include "daemon/housekeeping.h"
#include "daemon/preparations.h"
#include "daemon/storage/disk_watch.h"

namespace evictd::daemon {

void Housekeeping::reload() {
  health_->service().reloading(options_.clock->now());
  if (Result<> reloaded = try_reload(); !reloaded) {
    options_.log->warn(reloaded.error().message() + ", continuing without the new configuration");
  }
  static_cast<void>(health_->service().ready());
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
  const std::shared_ptr<const config::Config> before = std::exchange(config_, std::move(config));
  options_.filesystems->set_watch(*watch);
  options_.log->set_options(config_->settings().log);
  records_->journal().add("daemon", {{"what", "reloaded"}});
  (*hot)->generation = records_->use(config_, std::move(watch->thresholds));
  storage_->use(config_);
  pods_->reload();
  to_hot_.send(UseConfig{options_.loans->lend(std::move(*hot))});
  state_->reload(before->settings());
  thresholds_->reload(before->settings());
  log_warnings(*config_, *options_.log);
  options_.log->info(
      "configuration reloaded",
      {{"file", config::to_string(options_.sources)},
       {"changed_keys", static_cast<std::int64_t>(config::diff(*before, *config_).size())}});
  return {};
}

}  // namespace evictd::daemon
