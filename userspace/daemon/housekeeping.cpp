// SPDX-License-Identifier: Apache-2.0
#include "daemon/housekeeping.h"

#include <fcntl.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "daemon/control/request.h"
#include "daemon/shared/callback_handler.h"
#include "daemon/storage/disk_watch.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// Interval between checks of the kernel side's timer and the hot thread. Long against the timer's
/// base period, short against the polling interval that has to take over.
constexpr Duration kHealthPeriod = std::chrono::seconds(1);

/// If events report pods, a scan only confirms them, and it reads every directory of the tree. With
/// 110 pods evictd at rest took 0.13 % of a core with a scan every 10 s, and half of that with one
/// a minute and a cheaper cross-check.
constexpr int kChecksPerRescan = 6;
/// Messages of the hot thread that are handled before sockets, timers and manifests are checked
/// again. A turn takes a fraction of a second with a thousand pods that are evicted and recorded
/// one after the other.
constexpr std::size_t kMessagesATurn = 64;

}  // namespace

Housekeeping::Housekeeping(Options options, base::EventLoop loop, base::Timer health_timer)
    : options_(std::move(options)),
      loop_(std::move(loop)),
      health_timer_(std::move(health_timer)),
      container_memory_(*options_.root, *options_.clock),
      config_(options_.config),
      keeper_(std::make_unique<StateKeeper>(std::move(options_.state))),
      problem_log_(*options_.log),
      started_at_(options_.clock->now()) {}

Housekeeping::~Housekeeping() {
  // Before the pods whose targets it may be using.
  releaser_.reset();
}

Result<std::unique_ptr<Housekeeping>> Housekeeping::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<Housekeeping> house(
      new Housekeeping(std::move(options), std::move(loop), std::move(timer)));
  EVICTD_TRY(house->prepare());
  return house;
}

Result<> Housekeeping::prepare() {
  EVICTD_ASSIGN_OR_RETURN(eviction::ThresholdTable thresholds,
                          thresholds_in_force(*config_, options_.filesystems->layout()));
  rules_.use(config_generation_,
             {.thresholds = std::move(thresholds), .compat = config_->settings().compatibility});
  row_keeper_.emplace(RowKeeper::Options{
      .probe = options_.probe,
      .registry = options_.registry,
      .log = options_.log,
      .send = [this](ToHot&& message) { send(std::move(message)); },
      .send_updates = [this](std::vector<PodUpdate> updates) { send_updates(std::move(updates)); },
      .watch_thresholds =
          [this] {
            // Without capacities the next pass sets them.
            if (capacities_ != Capacities{}) {
              set_watch_points(Capacities(capacities_));
            }
          },
      .on_disagreement =
          [this](const std::string& text) { journal_degraded("cross_check", true, text); }});
  EVICTD_ASSIGN_OR_RETURN(releaser_, ReleaseWorker::start());
  EVICTD_TRY(prepare_storage());
  Result<std::unique_ptr<base::LineServer>> server = base::LineServer::create(
      control_socket(config_->settings().control_socket_path()), loop_, *options_.clock, *this);
  if (!server) {
    return fail_in("open the control socket", server.error());
  }
  server_ = std::move(*server);
  EVICTD_TRY(start_journal());
  return watch_descriptors();
}

Result<> Housekeeping::prepare_storage() {
  EVICTD_ASSIGN_OR_RETURN(
      storage_,
      StorageKeeping::create(
          {.root = options_.root,
           .clock = options_.clock,
           .log = options_.log,
           .registry = options_.registry,
           .records = &records_,
           .layout = options_.filesystems->layout(),
           .config = config_,
           .send = [this](ToHot&& message) { send(std::move(message)); },
           .releaser = releaser_.get(),
           .on_released = [this](CgroupId pod,
                                 std::optional<Bytes> left) { note_released(pod, left); }}));
  for (const int fd : storage_->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { storage_->on_answers(); }));
  }
  EVICTD_ASSIGN_OR_RETURN(mounts_, options_.root->open_file("/proc/self/mountinfo", O_RDONLY));
  handlers_.push_back(std::make_unique<CallbackHandler>(
      [this] { storage_->check_releases(options_.clock->now()); }));
  // Always readable; the watched event is a change of the mounts.
  return loop_.add(mounts_.get(), EPOLLPRI, *handlers_.back());
}

Result<> Housekeeping::watch(int fd, std::function<void()> callback) {
  handlers_.push_back(std::make_unique<CallbackHandler>(std::move(callback)));
  return loop_.add(fd, EPOLLIN, *handlers_.back());
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
  if (config_->settings().watchdog) {
    EVICTD_TRY(watch_watchdog());
  }
  for (const int fd : options_.registry->descriptors()) {
    EVICTD_TRY(watch(fd, [this] { follow_changes(); }));
  }
  return {};
}

Result<> Housekeeping::watch_watchdog() {
  EVICTD_ASSIGN_OR_RETURN(Watchdog watchdog,
                          Watchdog::create({.heartbeat = &options_.hot_counters->heartbeat,
                                            .wake_up = &options_.to_hot->wake_up}));
  watchdog_.emplace(std::move(watchdog));
  return watch(watchdog_->descriptor(), [this] { watchdog_->on_timer(options_.clock->now()); });
}

void Housekeeping::hand_over_everything() {
  check_reserve_terms();
  rescan();
  // An eviction may come before the first health check.
  container_memory_.refresh(options_.registry->table(), options_.registry->tree().layout());
  resume_last_run();
  log_memory_rules();
  log_problems();
}

Result<> Housekeeping::run() {
  next_check_ = options_.clock->now() + config_->settings().poll_interval;
  logged_disks_.links = runtime_links(config_->settings());
  watch_priority();
  health_timer_.arm(options_.clock->now() + kHealthPeriod);
  Result<> served;
  while (!stop_ && served) {
    if (const Result<int> waited = loop_.run_once(); !waited) {
      served = Failure(waited.error());
      break;
    }
    flush_backlog();
    destroy_released_pods();
    follow_pod_root();
  }
  if (served) {
    service_.stopping();
  }
  if (const std::string lost = recorder_ ? recorder_->stop() : ""; !lost.empty()) {
    options_.log->warn(lost);
  }
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
      journal_->add("daemon", {{"what", "stopped"}});
      stop_ = true;
    }
  }
}

void Housekeeping::rescan() {
  send_updates(options_.registry->rescan());
  log_problems();
}

void Housekeeping::send_updates(std::vector<PodUpdate> updates) {
  if (std::optional<std::vector<CgroupId>> roots = options_.registry->take_changed_roots()) {
    send(UseRoots{std::move(*roots)});
  }
  for (PodUpdate& update : updates) {
    const std::optional<Adoption> adoption = adopt_deferred(update.pod.get());
    send(PlacePod{.slot = update.slot, .pod = std::move(update.pod), .adoption = adoption});
  }
  end_deferrals();
  if (!updates.empty()) {
    journal_unknown_pods();
  }
  log_shortage();
}

void Housekeeping::send(ToHot&& message) {
  // Always after the messages already queued, because order matters.
  backlog_.push_back(std::move(message));
  flush_backlog();
}

void Housekeeping::flush_backlog() {
  std::size_t sent = 0;
  while (sent < backlog_.size() && options_.to_hot->queue.push(std::move(backlog_[sent]))) {
    ++sent;
  }
  if (sent != 0) {
    backlog_.erase(backlog_.begin(), backlog_.begin() + static_cast<std::ptrdiff_t>(sent));
    options_.to_hot->wake_up.signal();
  }
}

void Housekeeping::on_messages() {
  options_.from_hot->wake_up.consume();
  std::size_t left = kMessagesATurn;
  for (; left > 0; --left) {
    std::optional<ToHousekeeping> message = options_.from_hot->queue.pop();
    if (!message) {
      break;
    }
    std::visit([this](auto& one) { handle(one); }, *message);
  }
  if (left == 0) {
    // Serves other descriptors in between, however fast the hot thread is.
    options_.from_hot->wake_up.signal();
  }
  send_updates(options_.registry->apply());
  keep_state();
  storage_->check_releases(options_.clock->now());
}

void Housekeeping::destroy_released_pods() {
  if (released_pods_.empty() || !releaser_->idle()) {
    return;
  }
  std::erase_if(released_pods_, [](const std::unique_ptr<HotPod>& pod) {
    return !pod->target || !pod->target->pinned();
  });
}

void Housekeeping::on_health_check() {
  health_timer_.consume();
  const MonoTime now = options_.clock->now();
  check_timer(now);
  check_filesystems(now);
  check_reserve_terms();
  storage_->on_health_check(now);
  container_memory_.refresh(options_.registry->table(), options_.registry->tree().layout());
  row_keeper_->find_lost_rows();
  if (now >= next_check_) {
    next_check_ = now + config_->settings().poll_interval;
    // Events do not report every new pod root, nor every other new directory of pods.
    if (--checks_to_rescan_ <= 0 || options_.registry->tree().pod_root().empty() ||
        options_.registry->places_changed()) {
      rescan();
      checks_to_rescan_ = options_.events_tell_pods ? kChecksPerRescan : 1;
    } else {
      follow_changes();
    }
    row_keeper_->check(now);
    // Filesystems are found once: a kubelet, too, learns their layout when it starts.
    if (const std::string links = runtime_links(config_->settings());
        links != std::exchange(logged_disks_.links, links)) {
      options_.log->warn(
          "the container runtime reports other paths than when evictd started, continuing with the "
          "filesystems found then: restart evictd to use the new ones");
    }
  }
  if (const auto problem =
          options_.notify == nullptr ? std::nullopt : options_.notify->take_problem()) {
    options_.log->warn(*problem + ", continuing without notifications");
    journal_degraded("notify", true, *problem);
  }
  check_priority(now);
  check_journal(now);
  keep_state();
  health_timer_.arm(now + kHealthPeriod);
}

}  // namespace evictd::daemon
