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
    : context_(std::move(options)),
      loop_(std::move(loop)),
      health_timer_(std::move(health_timer)) {}

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
  EVICTD_ASSIGN_OR_RETURN(eviction::ThresholdTable thresholds,
                          thresholds_in_force(*context_.config, context_.filesystems->layout()));
  EVICTD_ASSIGN_OR_RETURN(
      records_, RecordsService::create(context_, std::move(thresholds),
                                       [this](std::string_view line) { control_->publish(line); }));
  EVICTD_ASSIGN_OR_RETURN(releaser_, ReleaseWorker::start());
  EVICTD_ASSIGN_OR_RETURN(
      storage_, StorageKeeping::create(context_, *records_, *releaser_,
                                       [this](CgroupId pod, std::optional<Bytes> left) {
                                         if (state_->keeper().mark_disk_released(pod) || left) {
                                           records_->record_release(pod, left);
                                         }
                                       }));
  thresholds_.emplace(context_, *records_);
  state_ = std::make_unique<StateService>(
      context_, *records_, *storage_, [this](const EvictionRefused& refused) { handle(refused); });
  pods_ = std::make_unique<PodsService>(context_, PodsService::Services{.records = *records_,
                                                                        .state = *state_,
                                                                        .thresholds = *thresholds_,
                                                                        .releaser = *releaser_});
  health_.emplace(context_, *records_);
  EVICTD_ASSIGN_OR_RETURN(control_, ControlService::create(context_,
                                                           {.records = *records_,
                                                            .pods = *pods_,
                                                            .state = *state_,
                                                            .storage = *storage_,
                                                            .health = *health_,
                                                            .releaser = *releaser_},
                                                           loop_, [this] {
                                                             context_.backlog.flush();
                                                             on_messages();
                                                           }));
  return {};
}

void Housekeeping::report_start() {
  const config::Settings& settings = context_.settings();
  records_->journal().add("daemon", {{"what", "started"},
                                     {"version", EVICTD_VERSION},
                                     {"compatibility", config::name_of(settings.compatibility)},
                                     {"event_source", context_.probe == nullptr ? "poll" : "bpf"},
                                     {"dry_run", settings.dry_run}});
  if (context_.probe == nullptr && settings.event_source != config::EventSource::kPoll) {
    records_->report_degraded("kernel_events", true, "no kernel side: polling");
  }
  if (context_.registry->misses_pod_root()) {
    records_->report_degraded("pod_root", true, "the cgroup of all pods is not there");
  }
  for (const probe::PurposeReport& purpose : context_.ladder->purposes) {
    if (context_.probe != nullptr && purpose.is_missing()) {
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
  EVICTD_ASSIGN_OR_RETURN(mounts_, context_.root->open_file("/proc/self/mountinfo", O_RDONLY));
  handlers_.push_back(std::make_unique<CallbackHandler>(
      [this] { storage_->check_releases(context_.clock->now()); }));
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
  EVICTD_TRY(watch(context_.from_hot->wake_up.descriptor(), [this] { on_messages(); }));
  EVICTD_TRY(watch(health_timer_.descriptor(), [this] { on_health_check(); }));
  for (const int fd : storage_->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { storage_->on_answers(); }));
  }
  EVICTD_TRY(watch_mounts());
  if (context_.settings().watchdog) {
    EVICTD_TRY(health_->create_watchdog());
    EVICTD_TRY(watch(health_->watchdog()->descriptor(),
                     [this] { health_->watchdog()->on_timer(context_.clock->now()); }));
  }
  for (const int fd : context_.registry->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { pods_->follow_reports(); }));
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
  const MonoTime now = context_.clock->now();
  next_check_ = now + context_.settings().poll_interval;
  health_->start();
  health_timer_.arm(now + kHealthPeriod);
  Result<> served;
  while (!stop_ && served) {
    if (const Result<int> waited = loop_.run_once(); !waited) {
      served = Failure(waited.error());
      break;
    }
    context_.backlog.flush();
    pods_->finish_turn();
  }
  if (served) {
    health_->service().stopping();
  }
  state_->keep(StateKeeper::Lag::kNone);
  records_->stop();
  return served;
}

void Housekeeping::on_signal() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP) {
      reload();
    } else {
      context_.log->info("stopping",
                         {{"signal", std::string(strsignal(static_cast<int>(info.ssi_signo)))}});
      records_->journal().add("daemon", {{"what", "stopped"}});
      stop_ = true;
    }
  }
}

void Housekeeping::on_messages() {
  context_.from_hot->wake_up.consume();
  context_.loans->collect();
  std::size_t left = kMessagesATurn;
  for (; left > 0; --left) {
    std::optional<ToHousekeeping> message = context_.from_hot->queue.pop();
    if (!message) {
      context_.loans->destroy_collected();
      break;
    }
    std::visit([this](auto& one) { handle(one); }, *message);
  }
  if (left == 0) {
    // Serves other descriptors in between, however fast the hot thread is.
    context_.from_hot->wake_up.signal();
  }
  pods_->apply_queued();
  state_->keep();
  storage_->check_releases(context_.clock->now());
}

void Housekeeping::on_health_check() {
  health_timer_.consume();
  // What the hot thread gives back wakes nobody, and is freed here at the latest.
  on_messages();
  const MonoTime now = context_.clock->now();
  health_->check(now);
  const bool at_interval = now >= next_check_;
  if (at_interval || thresholds_->swap_counts()) {
    thresholds_->check_reserve_terms();
  }
  storage_->on_health_check(now);
  pods_->check();
  if (at_interval) {
    next_check_ = now + context_.settings().poll_interval;
    pods_->check_at_interval(now);
    health_->check_runtime_links();
  }
  records_->check(now);
  control_->check();
  state_->keep();
  health_timer_.arm(now + kHealthPeriod);
}

}  // namespace evictd::daemon
