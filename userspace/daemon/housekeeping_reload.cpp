// SPDX-License-Identifier: Apache-2.0
// A new configuration, whole or not at all.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/change.h"
#include "daemon/configuration.h"
#include "daemon/housekeeping.h"
#include "daemon/preparations.h"
#include "daemon/storage/disk_watch.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// Whether the start left out the program by which the kernel side kills.
bool cannot_kill(const probe::Probe* probe) {
  return probe != nullptr &&
         std::ranges::any_of(probe->ladder().purposes, [](const probe::PurposeReport& one) {
           return one.purpose == probe::Purpose::kBackstop && one.disabled;
         });
}

/// By default inKernelBrake follows hardEvictionGracePeriodSeconds, which a reload may change.
bool switches_brake_on(const config::Settings& before, const config::Settings& after) {
  return before.in_kernel_brake_mode() == config::InKernelBrake::kOff &&
         after.in_kernel_brake_mode() != config::InKernelBrake::kOff;
}

}  // namespace

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
  if (switches_brake_on(before->settings(), context_.settings()) && cannot_kill(context_.probe)) {
    context_.log->warn(
        "inKernelBrake is backstop by default now, which needs a restart, continuing without it "
        "until then");
  }
  context_.log->info("configuration reloaded",
                     {{"file", config::to_string(context_.sources)},
                      {"changed_keys",
                       static_cast<std::int64_t>(config::diff(*before, *context_.config).size())}});
  return {};
}

}  // namespace evictd::daemon
