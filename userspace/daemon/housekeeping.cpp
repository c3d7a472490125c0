// SPDX-License-Identifier: Apache-2.0
#include "daemon/housekeeping.h"

#include <fcntl.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "config/eviction_fields.h"
#include "daemon/shared/callback_handler.h"
#include "daemon/storage/disk_watch.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// Interval between checks of the kernel side's timer and the hot thread. Long against the timer's
/// base period, short against the polling interval that has to take over.
constexpr Duration kHealthPeriod = std::chrono::seconds(1);

/// Messages of the hot thread that are handled before sockets, timers and manifests are checked
/// again. A turn takes a fraction of a second with a thousand pods that are evicted and recorded
/// one after the other.
constexpr std::size_t kMessagesATurn = 64;

}  // namespace

Housekeeping::Housekeeping(Options options, base::EventLoop loop, base::Timer health_timer)
    : options_(std::move(options)),
      config_(options_.config),
      loop_(std::move(loop)),
      health_timer_(std::move(health_timer)),
      to_hot_(*options_.to_hot) {}

Result<std::unique_ptr<Housekeeping>> Housekeeping::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<Housekeeping> house(
      new Housekeeping(std::move(options), std::move(loop), std::move(timer)));
  EVICTD_TRY(house->create_services());
  house->report_start();
  EVICTD_TRY(house->watch_descriptors());
  return house;
}

Result<> Housekeeping::create_services() {
  EVICTD_TRY(create_records());
  EVICTD_ASSIGN_OR_RETURN(releaser_, ReleaseWorker::start());
  EVICTD_TRY(create_storage());
  thresholds_.emplace(WatchedThresholds::Options{.root = options_.root,
                                                 .log = options_.log,
                                                 .probe = options_.probe,
                                                 .ladder = options_.ladder,
                                                 .registry = options_.registry,
                                                 .guard_terms = options_.guard_terms,
                                                 .records = records_.get(),
                                                 .config = &config_});
  create_state_and_pods();
  health_.emplace(HealthService::Options{.log = options_.log,
                                         .probe = options_.probe,
                                         .notify = options_.notify,
                                         .filesystems = options_.filesystems,
                                         .priority = options_.priority,
                                         .hot_counters = options_.hot_counters,
                                         .wake_hot = &options_.to_hot->wake_up,
                                         .records = records_.get(),
                                         .to_hot = &to_hot_});
  return create_control();
}

Result<> Housekeeping::create_records() {
  EVICTD_ASSIGN_OR_RETURN(eviction::ThresholdTable thresholds,
                          thresholds_in_force(*config_, options_.filesystems->layout()));
  EVICTD_ASSIGN_OR_RETURN(
      records_, RecordsService::create(
                    {.clock = options_.clock,
                     .log = options_.log,
                     .ladder = options_.ladder,
                     .config = config_,
                     .thresholds = std::move(thresholds),
                     .recording = options_.recording,
                     .publish = [this](std::string_view line) { control_->publish(line); }}));
  return {};
}

Result<> Housekeeping::create_storage() {
  EVICTD_ASSIGN_OR_RETURN(
      storage_,
      StorageKeeping::create(
          {.root = options_.root,
           .clock = options_.clock,
           .log = options_.log,
           .registry = options_.registry,
           .records = &records_->store(),
           .layout = options_.filesystems->layout(),
           .config = config_,
           .send = [this](ToHot&& message) { to_hot_.send(std::move(message)); },
           .loans = options_.loans,
           .on_returned = [this](const HotStorage& storage) { records_->forget(storage); },
           .releaser = releaser_.get(),
           .on_released =
               [this](CgroupId pod, std::optional<Bytes> left) {
                 if (state_->keeper().mark_disk_released(pod) || left) {
                   records_->record_release(pod, left);
                 }
               }}));
  return {};
}

void Housekeeping::create_state_and_pods() {
  state_ = std::make_unique<StateService>(StateService::Options{
      .clock = options_.clock,
      .log = options_.log,
      .registry = options_.registry,
      .records = records_.get(),
      .storage = storage_.get(),
      .to_hot = &to_hot_,
      .config = &config_,
      .on_refused = [this](const EvictionRefused& refused) { handle(refused); },
      .state = std::move(options_.state)});
  pods_ = std::make_unique<PodsService>(
      PodsService::Options{.root = options_.root,
                           .clock = options_.clock,
                           .log = options_.log,
                           .probe = options_.probe,
                           .registry = options_.registry,
                           .loans = options_.loans,
                           .releaser = releaser_.get(),
                           .records = records_.get(),
                           .state = state_.get(),
                           .thresholds = &*thresholds_,
                           .to_hot = &to_hot_,
                           .config = &config_,
                           .events_tell_pods = options_.events_tell_pods,
                           .descriptor_limit = options_.descriptor_limit});
}

Result<> Housekeeping::create_control() {
  EVICTD_ASSIGN_OR_RETURN(control_, ControlService::create({.inputs = &options_,
                                                            .records = records_.get(),
                                                            .pods = pods_.get(),
                                                            .state = state_.get(),
                                                            .storage = storage_.get(),
                                                            .health = &*health_,
                                                            .releaser = releaser_.get(),
                                                            .config = &config_,
                                                            .exchange_messages =
                                                                [this] {
                                                                  to_hot_.flush();
                                                                  on_messages();
                                                                }},
                                                           loop_));
  return {};
}

void Housekeeping::report_start() {
  const config::Settings& settings = config_->settings();
  records_->journal().add("daemon", {{"what", "started"},
                                     {"version", EVICTD_VERSION},
                                     {"compatibility", config::name_of(settings.compatibility)},
                                     {"event_source", options_.probe == nullptr ? "poll" : "bpf"},
                                     {"dry_run", settings.dry_run}});
  if (options_.probe == nullptr && settings.event_source != config::EventSource::kPoll) {
    records_->report_degraded("kernel_events", true, "no kernel side: polling");
  }
  if (options_.registry->misses_pod_root()) {
    records_->report_degraded("pod_root", true, "the cgroup of all pods is not there");
  }
  for (const probe::PurposeReport& purpose : options_.ladder->purposes) {
    if (options_.probe != nullptr && !purpose.disabled && purpose.chosen().empty()) {
      records_->report_degraded("hook", true,
                                "no hook serves " + std::string(probe::to_string(purpose.purpose)));
    }
  }
}

Result<> Housekeeping::watch(int fd, std::function<void()> callback) {
  handlers_.push_back(std::make_unique<CallbackHandler>(std::move(callback)));
  return loop_.add(fd, EPOLLIN, *handlers_.back());
}

Result<> Housekeeping::watch_mounts() {
  EVICTD_ASSIGN_OR_RETURN(mounts_, options_.root->open_file("/proc/self/mountinfo", O_RDONLY));
  handlers_.push_back(std::make_unique<CallbackHandler>(
      [this] { storage_->check_releases(options_.clock->now()); }));
  // Always readable; the watched event is a change of the mounts.
  return loop_.add(mounts_.get(), EPOLLPRI, *handlers_.back());
}

Result<> Housekeeping::watch_descriptors() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&set, signal);
  }
  signals_.reset(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) {
    return fail_errno(errno, "watch signals");
  }
  EVICTD_TRY(watch(signals_.get(), [this] { on_signal(); }));
  EVICTD_TRY(watch(options_.from_hot->wake_up.descriptor(), [this] { on_messages(); }));
  EVICTD_TRY(watch(health_timer_.descriptor(), [this] { on_health_check(); }));
  for (const int fd : storage_->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { storage_->on_answers(); }));
  }
  EVICTD_TRY(watch_mounts());
  if (config_->settings().watchdog) {
    EVICTD_TRY(health_->create_watchdog());
    EVICTD_TRY(watch(health_->watchdog()->descriptor(),
                     [this] { health_->watchdog()->on_timer(options_.clock->now()); }));
  }
  for (const int fd : options_.registry->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { pods_->follow_changes(); }));
  }
  return {};
}

void Housekeeping::hand_over_everything() {
  thresholds_->check_reserve_terms();
  pods_->rescan();
  // An eviction may come before the first health check.
  pods_->check_containers();
  state_->resume_last_run();
  thresholds_->log_memory_rules();
  pods_->log_problems();
}

Result<> Housekeeping::run() {
  const MonoTime now = options_.clock->now();
  next_check_ = now + config_->settings().poll_interval;
  health_->start(config_->settings());
  health_timer_.arm(now + kHealthPeriod);
  Result<> served;
  while (!stop_ && served) {
    if (const Result<int> waited = loop_.run_once(); !waited) {
      served = Failure(waited.error());
      break;
    }
    to_hot_.flush();
    pods_->finish_turn();
  }
  if (served) {
    health_->service().stopping();
  }
  records_->stop();
  return served;
}

void Housekeeping::on_signal() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP) {
      reload();
    } else {
      options_.log->info("stopping",
                         {{"signal", std::string(strsignal(static_cast<int>(info.ssi_signo)))}});
      records_->journal().add("daemon", {{"what", "stopped"}});
      stop_ = true;
    }
  }
}

void Housekeeping::on_messages() {
  options_.from_hot->wake_up.consume();
  options_.loans->collect();
  std::size_t left = kMessagesATurn;
  for (; left > 0; --left) {
    std::optional<ToHousekeeping> message = options_.from_hot->queue.pop();
    if (!message) {
      options_.loans->destroy_collected();
      break;
    }
    std::visit([this](auto& one) { handle(one); }, *message);
  }
  if (left == 0) {
    // Serves other descriptors in between, however fast the hot thread is.
    options_.from_hot->wake_up.signal();
  }
  pods_->apply_queued();
  state_->keep();
  storage_->check_releases(options_.clock->now());
}

void Housekeeping::on_health_check() {
  health_timer_.consume();
  const MonoTime now = options_.clock->now();
  health_->check(now);
  thresholds_->check_reserve_terms();
  storage_->on_health_check(now);
  pods_->check();
  if (now >= next_check_) {
    next_check_ = now + config_->settings().poll_interval;
    pods_->check_at_interval(now);
    health_->check_runtime_links(config_->settings());
  }
  records_->check(now);
  state_->keep();
  health_timer_.arm(now + kHealthPeriod);
}

}  // namespace evictd::daemon
