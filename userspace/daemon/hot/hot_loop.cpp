// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/hot_loop.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>

#include "daemon/shared/callback_handler.h"
#include "daemon/shared/least_left_behind.h"
#include "daemon/shared/realtime.h"
#include "daemon/shared/watch_points.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// Copies of passes that housekeeping lends: one more than a burst of passes needs while
/// housekeeping writes one record.
constexpr std::size_t kCopyBuffers = 8;
/// The same while every pass is recorded, because none may be missing.
constexpr std::size_t kRecordingBuffers = 24;

/// Interval during stand-by. Long against the cost of a round, which delays a crossing that comes
/// during it. Short against the time in which other tasks evict its data from the caches.
constexpr Duration kPractiseEvery = std::chrono::microseconds(100);

template <typename Event>
KernelNotice notice_of(const Event& event, std::string_view text) {
  KernelNotice notice{.event = event};
  std::copy_n(text.begin(), std::min(text.size(), notice.text.size()), notice.text.begin());
  return notice;
}

engine::VictimStep::What what_of(enforce::EvictionState state) {
  using What = engine::VictimStep::What;
  switch (state) {
    case enforce::EvictionState::kTerminating:
      return What::kTerminating;
    case enforce::EvictionState::kKilled:
      return What::kKilled;
    case enforce::EvictionState::kExceededGrace:
      return What::kExceededGrace;
    case enforce::EvictionState::kReleased:
      return What::kReleased;
  }
  return What::kTerminating;
}

engine::Engine::Options engine_options(const HotLoopOptions& options, HotConfig& config) {
  return {.configuration = &config,
          .layout = options.filesystems != nullptr ? options.filesystems->layout()
                                                   : eviction::DiskLayout{},
          .has_filesystems = options.filesystems != nullptr,
          .events_tell_pods = options.events_tell_pods,
          .least_left_behind = least_left_behind(),
          .eviction_times = options.eviction_times};
}

}  // namespace

HotLoop::HotLoop(Options options, base::EventLoop loop, base::Timer timer)
    : options_(std::move(options)),
      loop_(std::move(loop)),
      timer_(std::move(timer)),
      config_(std::move(options_.config)),
      readings_(std::move(options_.readings)),
      looks_(options_.ladder, *config_),
      engine_(engine_options(options_, *config_), options_.clock->now()) {
  if (options_.backstop == nullptr) {
    config_->backstop_margin.reset();
  }
  if (options_.filesystems != nullptr) {
    storage_.resize(kMaxPods);
  }
  const std::size_t buffers = options_.record_every_pass ? kRecordingBuffers : kCopyBuffers;
  copies_.reserve(buffers);
  for (std::size_t i = 0; i < buffers; ++i) {
    copies_.push_back(std::make_unique<PassCopy>());
    copies_.back()->pods.reserve(kMaxPods);
    copies_.back()->releasing.reserve(engine::Victims::kCapacity);
  }
  followed_.reserve(kMaxPods);
  retired_.reserve(kMaxPods);
  local_begun_.reserve(engine::Victims::kCapacity);
}

Result<std::unique_ptr<HotLoop>> HotLoop::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<HotLoop> hot(new HotLoop(std::move(options), std::move(loop), std::move(timer)));
  EVICTD_TRY(EVICTD_IN("prepare the hot thread", hot->watch_descriptors()));
  return hot;
}

Result<> HotLoop::watch_descriptors() {
  const auto watch = [&](int fd, std::function<void()> callback) -> Result<> {
    if (fd < 0) {
      return {};
    }
    handlers_.push_back(std::make_unique<CallbackHandler>(std::move(callback)));
    return loop_.add(fd, EPOLLIN, *handlers_.back());
  };
  EVICTD_TRY(watch(timer_.descriptor(), [this] { timer_.consume(); }));
  EVICTD_TRY(
      watch(options_.inbox->wake_up.descriptor(), [this] { options_.inbox->wake_up.consume(); }));
  if (options_.events != nullptr) {
    EVICTD_TRY(watch(options_.events->event_fd(), [this] { events_ready_ = true; }));
  }
  if (options_.filesystems != nullptr) {
    EVICTD_TRY(watch(options_.filesystems->descriptor(), [this] {
      options_.filesystems->consume();
      dispatch(engine::PassRequested{PassTrigger::kDisk});
    }));
  }
  for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    EVICTD_TRY(watch(one->descriptor(), [this] { actuator_ready_ = true; }));
  }
  return {};
}

Result<> HotLoop::run(const std::atomic<bool>& stop) {
  wake_at_ = options_.clock->now();
  if (options_.record_every_pass) {
    unrecorded_state_ = config_->manager.state();
  }
  while (!stop.load(std::memory_order_acquire)) {
    count(options_.counters->heartbeat);
    dispatch(engine::Woken{wake_at_});
    take_messages();
    if (events_ready_) {
      drain_events();
    }
    drive_actuators();
    dispatch(engine::Turn{.disks_asked_at = disks_asked_at()});
    publish_counters();
    EVICTD_TRY(wait());
    wake_at_ = options_.clock->now();
  }
  // Takes a plan back, or adopts its kill.
  dispatch(engine::Woken{wake_at_});
  return {};
}

Result<> HotLoop::wait() {
  if (stand_by()) {
    return {};
  }
  cpu_avoidance_.end();  // Not before the pass: a signal would wait for it.
  MonoTime next = wait_.until;
  for (const enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    if (const auto deadline = one->next_deadline()) {
      next = std::min(next, *deadline);
    }
  }
  timer_.arm(next);
  const std::optional<Duration> longest = wait_.at_once ? std::optional(Duration{0}) : std::nullopt;
  EVICTD_TRY(loop_.run_once(longest));
  return {};
}

bool HotLoop::stand_by() {
  if (!engine_.stands_by()) {
    return false;
  }
  cpu_avoidance_.begin();
  const bool has_work = engine_.wanted().has_value();  // A wanted pass is more than a hint.
  MonoTime now = options_.clock->now();
  MonoTime practised_at = now;
  while (engine_.goes_on_standing_by(now)) {
    drain_events();
    now = options_.clock->now();
    if (!engine_.wanted() && now - practised_at >= kPractiseEvery) {
      actuator(engine_.dry_run()).practise();
      now = options_.clock->now();
      practised_at = now;
    }
  }
  dispatch(engine::StandByOver{.rehearsal_holds = !has_work && rehearsed_ != nullptr &&
                                                  rehearsed_for_ == engine_.approached()});
  return engine_.stands_by() || engine_.wanted();
}

void HotLoop::drain_events() {
  events_ready_ = false;
  const probe::Drained drained = options_.events->drain(*this);
  if (drained.newly_dropped == 0) {
    return;
  }
  count(options_.counters->lost_records, drained.newly_dropped);
  if (options_.events->resync()) {
    count(options_.counters->resyncs);
  }
  dispatch(engine::EventsLost{.passes = true});
  send(LossNotice{drained.newly_dropped});
}

void HotLoop::on_threshold(const probe::ThresholdCrossed& event) {
  dispatch(engine::Crossed{.threshold = threshold_of(event.threshold_id),
                           .recovered = event.direction == probe::Direction::kDown,
                           .at = event.at});
}

void HotLoop::on_stall(const probe::StallRising& event) {
  dispatch(engine::Stalled{});
  send(KernelNotice{event});
}

void HotLoop::on_cgroup(const probe::CgroupChanged& event) {
  if (event.change == probe::CgroupChange::kEmptied ||
      event.change == probe::CgroupChange::kRemoved) {
    options_.actuator->on_emptied(event.cgroup, wake_at_);
  } else if (event.change == probe::CgroupChange::kPopulated) {
    dispatch(engine::Populated{.pod = event.cgroup, .at = event.at});
  }
  ToHousekeeping message(notice_of(event, event.path));
  if (!offer(message)) {
    dispatch(engine::EventsLost{});
  }
}

void HotLoop::on_oom_kill(const probe::OomKill& event) {
  send(notice_of(event, event.comm));
  dispatch(engine::OomKilled{});
}

void HotLoop::on_approach(const probe::Approach& event) {
  const bool may_stand_by = options_.may_stand_by != nullptr &&
                            options_.may_stand_by->load(std::memory_order_relaxed) &&
                            !realtime_overrun_holds();
  if (may_stand_by) {
    cpu_avoidance_.expect_on(event.cpu);
  }
  const std::uint64_t away_us = event.distance / std::max<std::uint64_t>(event.rate / 1'000'000, 1);
  dispatch(engine::Approached{
      .scope = event.cgroup == CgroupId{} ? eviction::Scope::kNode : eviction::Scope::kPodRoot,
      .away = std::chrono::microseconds(std::min<std::uint64_t>(away_us, 1'000'000)),
      .rate = static_cast<std::int64_t>(
          std::min<std::uint64_t>(event.rate, std::numeric_limits<std::int64_t>::max())),
      .may_stand_by = may_stand_by});
}

void HotLoop::drive_actuators() {
  for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    if (actuator_ready_) {
      one->on_ready(wake_at_);
    }
    if (const auto deadline = one->next_deadline(); deadline && *deadline <= wake_at_) {
      one->on_deadline(wake_at_);
    }
    take_progress(*one);
  }
  actuator_ready_ = false;
}

void HotLoop::take_progress(enforce::Actuator& actuator) {
  const bool dry_run = &actuator == options_.dry_run_actuator;
  while (const std::optional<enforce::Progress> progress = actuator.take_progress()) {
    EvictionStep step{
        .progress = *progress, .dry_run = dry_run, .counters = options_.actuator->counters()};
    CgroupUsage usage;
    if (const HotPod* const pod = pods_.find(progress->pod)) {
      usage = readings_.read_one(*pod, wake_at_);
      if (pod->target) {
        step.usage = pod->target->usage().value_or(Bytes{-1});
        step.tasks = usage.tasks;
      }
    }
    dispatch(engine::VictimStep{.pod = progress->pod,
                                .what = what_of(progress->state),
                                .at = progress->at,
                                .dry_run = dry_run,
                                .spared = !progress->not_killed.empty(),
                                .usage = usage,
                                .charged = step.usage});
    send(step);
  }
}

}  // namespace evictd::daemon
