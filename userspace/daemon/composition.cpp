// SPDX-License-Identifier: Apache-2.0
#include "daemon/composition.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/beside.h"
#include "daemon/configuration.h"
#include "daemon/preparations.h"
#include "daemon/process_setup.h"
#include "daemon/storage/disk_watch.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// Maximum wait for every filesystem's first reading if the last run has left timers.
constexpr std::chrono::milliseconds kFirstReadings{250};

Result<Readings::Options> open_readings(const sys::Root& root, const PodRegistry& registry,
                                        probe::UsageTable* table) {
  Readings::Options readings{
      .table = table, .node_files = {}, .pod_root_files = {}, .filesystems = nullptr};
  EVICTD_ASSIGN_OR_RETURN(readings.node_files,
                          sys::NodeFiles::open(root, registry.tree().layout()));
  Result<sys::CgroupFiles> pod_root = registry.open_pod_root_files();
  // A pod root that vanished since it was found is awaited like one that was missing.
  if (!pod_root && pod_root.error().code != Errc::kNotFound) {
    return Failure(pod_root.error());
  }
  readings.pod_root_files = std::move(pod_root).value_or(sys::CgroupFiles());
  return readings;
}

}  // namespace

Composition::Composition(DaemonOptions options, std::shared_ptr<const config::Config> config)
    : options_(std::move(options)),
      config_(std::move(config)),
      log_(config_->settings().log, clock_, base::detect_log_stream()),
      dry_run_({.clock = &clock_}) {}

Result<> Composition::run() {
  log_warnings(*config_, log_);
  if (!config_->ignored().empty()) {
    log_.info("evictd ignores these kubelet settings",
              {{"settings", config::to_string(config_->ignored())}});
  }
  for (Result<> (Composition::*const step)() :
       {&Composition::set_up_process, &Composition::find_pods, &Composition::find_last_state,
        &Composition::find_disks, &Composition::load_kernel_side, &Composition::serve_notifications,
        &Composition::lock_memory, &Composition::make_hot_loop, &Composition::make_housekeeping}) {
    EVICTD_TRY((this->*step)());
  }
  house_->hand_over_everything();
  return run_threads(*hot_, *house_, *threads_, config_->settings().realtime, log_);
}

Result<> Composition::set_up_process() {
  EVICTD_ASSIGN_OR_RETURN(const ProcessSetup setup,
                          daemon::set_up_process(config_->settings(), log_));
  descriptor_limit_ = setup.descriptor_limit;
  growth_ = eviction::growth_limits_of(measure_machine(clock_));
  return {};
}

Result<> Composition::find_pods() {
  EVICTD_ASSIGN_OR_RETURN(sys::Root root, sys::Root::open());
  root_.emplace(std::move(root));
  EVICTD_ASSIGN_OR_RETURN(
      registry_, PodRegistry::create({.root = &*root_,
                                      .config = config_,
                                      .descriptor_limit = descriptor_limit_ -
                                                          notify_descriptors(config_->settings(),
                                                                             descriptor_limit_)}));
  return {};
}

Result<> Composition::find_disks() {
  EVICTD_ASSIGN_OR_RETURN(disk::Places places, find_places(config_->settings()));
  for (const disk::Place& place : disk::missing_places(places)) {
    log_.warn(place.origin + ": " + place.path +
              " does not exist or does not answer, continuing with the filesystem that would hold "
              "it, " +
              place.mount_point);
  }
  EVICTD_ASSIGN_OR_RETURN(disk::SampleWatch watch,
                          sample_watch_of(*config_, disk::layout_of(places)));
  EVICTD_ASSIGN_OR_RETURN(filesystems_, disk::Filesystems::start({.places = std::move(places),
                                                                  .watch = std::move(watch)}));
  return {};
}

Result<> Composition::find_last_state() {
  const cluster::CgroupTree& tree = registry_->tree();
  state_.path = config_->settings().state_file_path();
  state_.origin = origin_here(tree.pod_root(), tree.pod_root_id());
  if (!state_.path.empty()) {
    state_.found = find_state(state_.path, state_.origin, clock_.now());
  }
  if (!state_.found.problem.empty()) {
    log_.warn(state_.found.problem + ", continuing without the state of the last run");
  }
  return {};
}

Result<> Composition::restore(HotConfig& hot) {
  if (!state_.found.found) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(const eviction::ThresholdTable thresholds,
                          thresholds_in_force(*config_, filesystems_->layout()));
  // A threshold without a reading in the first pass would lose its timer.
  filesystems_->await_first(clock_.now() + kFirstReadings);
  std::vector<std::string> dropped;
  eviction::PassState state = restore_pass(state_.found.state, thresholds, dropped);
  // With the layout the manager also has the derived thresholds, which may have timers.
  state.layout = filesystems_->layout();
  hot.manager.restore(state);
  for (const std::string& threshold : dropped) {
    log_.warn(state_.path + ": " + threshold +
              " is no longer configured, continuing without its timer");
  }
  return {};
}

/// With 1000 pods the early opening takes about as long as loading, and each has its own CPU. Its
/// result is provisional: the decisive read follows after the programs are attached.
Result<> Composition::load_kernel_side() {
  std::optional<Beside> looking;
  if (config_->settings().event_source != config::EventSource::kPoll) {
    looking.emplace([this] { registry_->open_pods_early(); });
  }
  Result<KernelSide> kernel = daemon::load_kernel_side(config_->settings(), log_);
  looking.reset();
  EVICTD_ASSIGN_OR_RETURN(kernel_, std::move(kernel));
  return kernel_.probe ? registry_->attach(*kernel_.probe) : Result<>();
}

Result<> Composition::serve_notifications() {
  const config::Settings& settings = config_->settings();
  if (settings.notify_socket.empty()) {
    return {};
  }
  notify_ = NotifyWorker::start({.socket = settings.notify_socket,
                                 .hook = notify_hook(settings),
                                 .descriptors = notify_descriptors(settings, descriptor_limit_),
                                 .no_hook_because = no_notify_hook_because(settings)},
                                clock_);
  const NotifyReport report = notify_->report();
  if (!report.polls_because.empty() && settings.event_source != config::EventSource::kPoll) {
    log_.warn(report.polls_because +
              ", continuing without hooks for notifications: evictd reads files");
  }
  if (!report.no_pressure_because.empty()) {
    log_.warn(report.no_pressure_because);
  }
  if (report.serving) {
    log_.info("serving notifications", {{"socket", report.socket}, {"backend", report.backend}});
  }
  return {};
}

Result<> Composition::lock_memory() {
  memory_locked_ = lock_memory_if_wanted(config_->settings(), log_);
  return {};
}

bool Composition::events_tell_pods() const {
  return kernel_.probe && daemon::events_tell_pods(config_->settings(), kernel_.ladder);
}

Result<> Composition::make_hot_loop() {
  EVICTD_ASSIGN_OR_RETURN(threads_, Threads::create());
  EVICTD_ASSIGN_OR_RETURN(actuator_, enforce::CgroupActuator::create(
                                         {.clock = &clock_, .roots = registry_->places().ids()}));
  EVICTD_ASSIGN_OR_RETURN(std::unique_ptr<HotConfig> hot_config, hot_config_of(*config_, growth_));
  EVICTD_TRY(restore(*hot_config));
  engine::EvictionTimes eviction_times;
  for (const MonoTime at : state_.found.state.evictions) {
    eviction_times.add(at, /*dry_run=*/false);
  }
  EVICTD_ASSIGN_OR_RETURN(Readings::Options readings,
                          open_readings(*root_, *registry_, kernel_.probe.get()));
  readings.filesystems = filesystems_.get();
  readings.guard_terms = &threads_->guard_terms;
  EVICTD_ASSIGN_OR_RETURN(
      hot_,
      HotLoop::create({.ladder = kernel_.probe != nullptr ? &kernel_.probe->ladder() : nullptr,
                       .events = kernel_.probe.get(),
                       .backstop = kernel_.probe != nullptr ? kernel_.probe->backstop() : nullptr,
                       .clock = &clock_,
                       .inbox = &threads_->to_hot,
                       .outbox = &threads_->to_house,
                       .actuator = actuator_.get(),
                       .dry_run_actuator = &dry_run_,
                       .counters = &threads_->counters,
                       .readings = std::move(readings),
                       .config = threads_->loans.lend(std::move(hot_config)),
                       .record_every_pass = options_.recording.has_value(),
                       .filesystems = filesystems_.get(),
                       .events_tell_pods = events_tell_pods(),
                       .eviction_times = eviction_times,
                       .intent_clock = state_.origin.boot_id,
                       .may_stand_by = std::thread::hardware_concurrency() > 1
                                           ? &threads_->priority.in_force()
                                           : nullptr}));
  return {};
}

Result<> Composition::make_housekeeping() {
  EVICTD_ASSIGN_OR_RETURN(house_, Housekeeping::create({.sources = options_.sources,
                                                        .config = config_,
                                                        .clock = &clock_,
                                                        .log = &log_,
                                                        .root = &*root_,
                                                        .probe = kernel_.probe.get(),
                                                        .ladder = &kernel_.ladder,
                                                        .notify = notify_.get(),
                                                        .events_tell_pods = events_tell_pods(),
                                                        .registry = registry_.get(),
                                                        .filesystems = filesystems_.get(),
                                                        .loans = &threads_->loans,
                                                        .to_hot = &threads_->to_hot,
                                                        .from_hot = &threads_->to_house,
                                                        .hot_counters = &threads_->counters,
                                                        .priority = &threads_->priority,
                                                        .guard_terms = &threads_->guard_terms,
                                                        .memory_locked = memory_locked_,
                                                        .growth = growth_,
                                                        .descriptor_limit = descriptor_limit_,
                                                        .state = std::move(state_),
                                                        .recording = options_.recording}));
  return {};
}

}  // namespace evictd::daemon
