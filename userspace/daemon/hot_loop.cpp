// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot_loop.h"

#include <algorithm>
#include <functional>

#include "daemon/callback_handler.h"
#include "daemon/node_memory.h"
#include "daemon/watcher.h"
#include "eviction/forecast.h"
#include "poll/growth.h"

namespace evictd::daemon {

namespace {

/// Copies of passes that housekeeping lends; one more than a burst of passes needs while it is busy
/// writing one down.
constexpr std::size_t kCopyBuffers = 8;
/// The same while every pass is recorded, as none may be missing.
constexpr std::size_t kRecordingBuffers = 24;

/// Files of the pod root that wait to go back: housekeeping sends others once a second at most, and
/// none while it takes no messages.
constexpr std::size_t kRetiredFiles = 16;

/// Victims in a row that may turn out not to be there before a pass waits for the next event.
constexpr int kMostRefusals = 16;

/// While it stands by. Long against what a round costs, which delays a crossing that comes during
/// it, and short against the time in which others push out of the caches what it has touched.
constexpr Duration kPractiseEvery = std::chrono::microseconds(100);

bool is_polled(eviction::Signal signal) {
  return eviction::is_memory(signal) || signal == eviction::Signal::kPidAvailable;
}

/// Of what is used, in the unit of the signal a second; a capacity that changes is no growth.
std::int64_t growth_of(const std::optional<eviction::Observation>& before,
                       const eviction::Observation& now) {
  if (!before || !before->time || !now.time) {
    return 0;
  }
  return poll::growth_per_second(before->capacity - before->available, *before->time,
                                 now.capacity - now.available, *now.time);
}

}  // namespace

HotLoop::HotLoop(Options options, base::EventLoop loop, base::Timer timer)
    : options_(std::move(options)),
      loop_(std::move(loop)),
      timer_(std::move(timer)),
      readings_(std::move(options_.readings)),
      eviction_times_(options_.eviction_times),
      config_(std::move(options_.config)) {
  if (options_.filesystems != nullptr) {
    layout_ = options_.filesystems->layout();
    storage_.resize(kMaxPods);
    retired_storage_.reserve(kMaxPods);
  }
  const std::size_t buffers = options_.record_every_pass ? kRecordingBuffers : kCopyBuffers;
  copies_.reserve(buffers);
  for (std::size_t i = 0; i < buffers; ++i) {
    copies_.push_back(std::make_unique<PassCopy>());
    copies_.back()->pods.reserve(kMaxPods);
    copies_.back()->releasing.reserve(InFlightTable::kCapacity);
  }
  releasing_.reserve(InFlightTable::kCapacity);
  retired_.reserve(kMaxPods);
  retired_pod_root_files_.reserve(kRetiredFiles);
  local_begun_.reserve(InFlightTable::kCapacity);
}

Result<std::unique_ptr<HotLoop>> HotLoop::create(Options options) {
  Result<base::EventLoop> loop = base::EventLoop::create();
  if (!loop) {
    return Failure(loop.error());
  }
  Result<base::Timer> timer = base::Timer::create();
  if (!timer) {
    return Failure(timer.error());
  }
  std::unique_ptr<HotLoop> hot(
      new HotLoop(std::move(options), std::move(*loop), std::move(*timer)));
  if (Result<> watched = hot->watch_descriptors(); !watched) {
    return fail_in("prepare the hot thread", watched.error());
  }
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
  Result<> watched = watch(timer_.descriptor(), [this] { timer_.consume(); });
  if (watched) {
    watched =
        watch(options_.inbox->wake_up.descriptor(), [this] { options_.inbox->wake_up.consume(); });
  }
  if (watched && options_.events != nullptr) {
    watched = watch(options_.events->event_fd(), [this] { events_ready_ = true; });
  }
  if (watched && options_.filesystems != nullptr) {
    watched = watch(options_.filesystems->descriptor(), [this] {
      options_.filesystems->consume();
      want_pass(PassTrigger::kDisk);
    });
  }
  for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    if (watched) {
      watched = watch(one->descriptor(), [this] { actuator_ready_ = true; });
    }
  }
  return watched;
}

Result<> HotLoop::run(const std::atomic<bool>& stop) {
  wake_at_ = options_.clock->now();
  next_regular_ = wake_at_;
  if (options_.record_every_pass) {
    unrecorded_state_ = config_->manager.state();
  }
  want_pass(PassTrigger::kRequest);
  while (!stop.load(std::memory_order_acquire)) {
    count(options_.counters->heartbeat);
    take_messages();
    if (events_ready_) {
      drain_events();
    }
    drive_actuators();
    judge_exceeded();
    if (wake_at_ >= next_regular_) {
      want_pass(PassTrigger::kRegular);
    } else if (decision_deadline_ && wake_at_ >= *decision_deadline_) {
      want_pass(PassTrigger::kDeadline);
    }
    if (disk_work_.gave_up_usage(wake_at_) || disk_work_.ran_out_of_time(wake_at_)) {
      newer_readings_.note_cause();
      want_pass(PassTrigger::kDisk);
    }
    run_wanted_pass();
    resume_if_due(options_.clock->now());
    if (Result<> waited = wait(); !waited) {
      return waited;
    }
    wake_at_ = options_.clock->now();
  }
  return {};
}

Result<> HotLoop::wait() {
  if (stand_by()) {
    return {};
  }
  cpu_avoidance_.end();  // Not before the pass: a signal would wait for it.
  arm_timer(wake_at_);
  // After many refusals in a row there is more to do than one turn may take.
  const bool more_to_do = wanted_ && !pod_scans_.waits(wake_at_);
  const std::optional<Duration> longest = more_to_do ? std::optional(Duration{0}) : std::nullopt;
  if (const Result<int> waited = loop_.run_once(longest); !waited) {
    return Failure(waited.error());
  }
  return {};
}

void HotLoop::rehearse() {
  const std::optional<std::size_t> first = readings_.first_candidate(approached_);
  HotPod* pod = first ? pods_.at(readings_.slots()[*first]) : nullptr;
  if (pod != nullptr && pod == rehearsed_) {
    rehearsed_for_ = approached_;
    return;  // A second hint: what the first one prepared is as good.
  }
  end_rehearsal();
  if (pod != nullptr && pod->target) {
    rehearsed_ = pod;
    rehearsed_for_ = approached_;
    actuator().rehearse(*pod->target);
  }
}

void HotLoop::end_rehearsal() {
  if (rehearsed_ == nullptr) {
    return;
  }
  for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    one->end_rehearsal();
  }
  if (!rehearsed_->target->unused()) {
    send(TargetUsed{rehearsed_});
  }
  rehearsed_ = nullptr;
}

bool HotLoop::stand_by() {
  if (!stand_by_.under_way()) {
    return false;
  }
  count(options_.counters->stand_bys);
  cpu_avoidance_.begin();
  const bool has_work = wanted_.has_value();  // What a pass is left for is no mere hint.
  MonoTime now = options_.clock->now();
  MonoTime practised_at = now;
  while (!wanted_ && stand_by_.lasts(now)) {
    drain_events();
    now = options_.clock->now();
    if (!wanted_ && now - practised_at >= kPractiseEvery) {
      actuator().practise();
      now = options_.clock->now();
      practised_at = now;
    }
  }
  if (!has_work && wanted_ == PassTrigger::kApproach && rehearsed_ != nullptr &&
      rehearsed_for_ == approached_) {
    // Another hint: it has prolonged the stand-by, and the rehearsal is as good. A turn between, as
    // messages and deadlines do not wait for a chain of hints.
    wanted_.reset();
    return true;
  }
  stand_by_.end(now);
  return wanted_.has_value();
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
  if (refused_.take_try(wake_at_)) {
    want_pass(PassTrigger::kDeadline);
  }
}

void HotLoop::run_wanted_pass() {
  if (!wanted_ || pod_scans_.waits(wake_at_)) {
    return;
  }
  const bool approach = *wanted_ == PassTrigger::kApproach;
  // Each round passes one pod over or cuts one grace, so this ends; the bound lets messages and
  // deadlines have their turn between.
  for (int round = 0; wanted_ && round < kMostRefusals; ++round) {
    pass_again_ = false;
    if (!pass(options_.clock->now())) {
      return;
    }
    wanted_.reset();
    timeline_ = {};
    if (pass_again_) {
      want_pass(PassTrigger::kRequest);
    }
  }
  if (approach && !begun_) {
    rehearse();
  } else {
    end_rehearsal();
  }
}

ReadingSource HotLoop::source() const {
  return options_.ladder != nullptr && !polling_ ? ReadingSource::kTable : ReadingSource::kFiles;
}

enforce::Actuator& HotLoop::actuator() {
  return dry_run() ? *options_.dry_run_actuator : *options_.actuator;
}

bool HotLoop::kernel_watches(eviction::Signal signal) const {
  if (source() != ReadingSource::kTable) {
    return false;
  }
  const probe::Ladder& ladder = *options_.ladder;
  if (signal == eviction::Signal::kMemoryAvailable) {
    return memory_watcher(ladder, config_->memory) == Watcher::kKernel &&
           readings_.node().source == UsageSource::kBpfTable;
  }
  if (signal == eviction::Signal::kPidAvailable) {
    return task_watcher(ladder, config_->pid_source) == Watcher::kKernel;
  }
  // Without its timer the kernel side sees neither the last steps of a batch nor a recovery.
  return !ladder.chosen(probe::Purpose::kSweepTimer).empty();
}

Duration HotLoop::next_interval() const {
  Duration interval = config_->interval.longest;
  poll::IntervalOptions options = config_->interval;
  if (options_.ladder != nullptr) {
    // What the kernel side does not watch is looked at the sooner the nearer it is: everything,
    // while its timer stands still.
    options.mode = poll::IntervalMode::kAdaptive;
  }
  const eviction::ThresholdTable& thresholds = config_->manager.thresholds();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const eviction::Signal signal = thresholds[i].signal;
    const auto& seen = readings_.observations()[signal];
    if (!is_polled(signal) || !seen || kernel_watches(signal)) {
      continue;
    }
    const auto limit = static_cast<std::int64_t>(
        thresholds.limit(i, seen->capacity, eviction::MinReclaim::kIgnored));
    const std::int64_t distance = seen->available - limit;
    const std::int64_t growth = growth_of(polled_[signal], *seen);
    const std::int64_t pods = readings_.pod_root().rate_bytes_per_second;
    const Duration next =
        eviction::is_memory(signal)
            ? poll::next_interval(
                  options, {.distance = Bytes{distance}, .rate = Bytes{std::max(growth, pods)}})
            : poll::next_interval(options,
                                  poll::TaskApproach{.distance = distance, .rate = growth});
    interval = std::min(interval, next);
  }
  const auto& memory = readings_.observations()[eviction::Signal::kMemoryAvailable];
  // Without the timer the kernel side looks only when something is charged.
  const bool pushed = readings_.reserve_is_pushed() && options_.ladder != nullptr &&
                      !options_.ladder->chosen(probe::Purpose::kSweepTimer).empty();
  if (config_->manager.has_guard() && memory && memory->reserve && !pushed) {
    const eviction::KernelReserve& reserve = *memory->reserve;
    const auto distance =
        static_cast<std::int64_t>(reserve.left - eviction::guard_distance(reserve));
    interval = std::min(interval, poll::next_interval(options, {.distance = Bytes{distance},
                                                                .rate = Bytes{reserve.rate}}));
  }
  return interval;
}

/// An event never puts off the next look of the regular cadence. It brings it nearer where it came
/// before the crossing and may have been the only one.
void HotLoop::plan_regular(eviction::Cadence cadence, MonoTime now) {
  const MonoTime next = now + next_interval();
  if (cadence == eviction::Cadence::kRegular) {
    next_regular_ = next;
    polled_ = readings_.observations();
  } else {
    next_regular_ = std::min(next_regular_, next);
  }
}

void HotLoop::arm_timer(MonoTime now) {
  MonoTime next = pod_scans_.waits(now) ? pod_scans_.deadline() : next_regular_;
  if (decision_deadline_ && *decision_deadline_ > now) {
    next = std::min(next, *decision_deadline_);
  }
  for (const enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    if (const auto deadline = one->next_deadline()) {
      next = std::min(next, *deadline);
    }
  }
  if (const auto deadline = disk_work_.deadline(now)) {
    next = std::min(next, *deadline);
  }
  if (const auto again = refused_.next_try()) {
    next = std::min(next, *again);
  }
  if (const auto judgement = in_flight_.next_judgement()) {
    next = std::min(next, *judgement);
  }
  timer_.arm(next);
}

}  // namespace evictd::daemon
