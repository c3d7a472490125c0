// SPDX-License-Identifier: Apache-2.0
// A new configuration, whole or not at all.
#include <nlohmann/json.hpp>
#include <utility>

#include "config/change.h"
#include "daemon/configuration.h"
#include "daemon/housekeeping.h"
#include "daemon/preparations.h"
#include "daemon/storage/disk_watch.h"
#include "evictd/try.h"

namespace evictd::daemon {

void Housekeeping::reload() {
  health_->service().reloading(context_.clock->now());
  if (Result<> reloaded = try_reload(); !reloaded) {
    context_.log->warn("reload: " + reloaded.error().message() +
                       ", continuing without the new configuration");
  }
  static_cast<void>(health_->service().ready());
}

Result<> Housekeeping::try_reload() {
  if (!context_.sources.has_files()) {
    return fail(Errc::kInvalid,
                "evictd was started without --config, --kubelet-config or --kubelet-config-dir");
  }
  EVICTD_ASSIGN_OR_RETURN(config::Config loaded, load_config(context_.sources));
  EVICTD_TRY(config::check_reload(*context_.config, loaded));
  auto config = std::make_shared<const config::Config>(std::move(loaded));
  EVICTD_ASSIGN_OR_RETURN(std::unique_ptr<HotConfig> hot, hot_config_of(*config, context_.growth));
  EVICTD_ASSIGN_OR_RETURN(disk::SampleWatch watch,
                          sample_watch_of(*config, context_.filesystems->layout()));
  const std::shared_ptr<const config::Config> before =
      std::exchange(context_.config, std::move(config));
  context_.filesystems->set_watch(watch);
  context_.log->set_options(context_.settings().log);
  records_->journal().add("daemon", {{"what", "reloaded"}});
  hot->generation = records_->use(std::move(watch.thresholds));
  storage_->reload();
  pods_->reload();
  context_.backlog.send(UseConfig{context_.loans->lend(std::move(hot))});
  state_->reload(before->settings());
  thresholds_->reload(before->settings());
  log_warnings(*context_.config, *context_.log);
  context_.log->info("configuration reloaded",
                     {{"file", config::to_string(context_.sources)},
                      {"changed_keys",
                       static_cast<std::int64_t>(config::diff(*before, *context_.config).size())}});
  return {};
}

}  // namespace evictd::daemon
