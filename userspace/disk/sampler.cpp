// SPDX-License-Identifier: Apache-2.0
#include "disk/sampler.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "sys/thread_name.h"

namespace evictd::disk {

namespace {

/// How long a filesystem may take to answer when evictd ends.
constexpr std::chrono::seconds kEndPatience{1};

std::int64_t available_of(const FilesystemReading& reading, bool inodes) {
  return inodes ? reading.inodes_free : reading.available_bytes;
}

std::int64_t capacity_of(const FilesystemReading& reading, bool inodes) {
  return inodes ? reading.inodes : reading.capacity_bytes;
}

/// Two readings that are nearer to each other say nothing of a rate.
constexpr std::chrono::milliseconds kShortestRate{2};

/// Units used up a second between two readings.
std::int64_t rate_between(const FilesystemReading& before, const FilesystemReading& after,
                          bool inodes) {
  const std::chrono::duration<double> passed = after.read_at - before.read_at;
  if (passed < kShortestRate) {
    return inodes ? before.inodes_per_second : before.bytes_per_second;
  }
  return static_cast<std::int64_t>(
      static_cast<double>(available_of(before, inodes) - available_of(after, inodes)) /
      passed.count());
}

/// What a reading means for the thresholds on it.
struct Judgement {
  Duration next{};
  bool met = false;
  /// Which thresholds are met, with and without minimum reclaim: two bits each.
  std::vector<bool> states;
};

Judgement judge(const SampleWatch& watch, const std::vector<Role>& roles,
                const FilesystemReading& reading) {
  Judgement judgement{.next = watch.sampling.longest, .met = false, .states = {}};
  for (std::size_t i = 0; i < watch.thresholds.size(); ++i) {
    const eviction::Signal signal = watch.thresholds[i].signal;
    const std::optional<Role> role = role_of(signal);
    const bool inodes = counts_inodes(signal);
    if (watch.thresholds[i].op == eviction::ThresholdOperator::kNone) {
      continue;  // derived without a source: never met, and without a limit
    }
    if (!role || std::find(roles.begin(), roles.end(), *role) == roles.end() ||
        capacity_of(reading, inodes) == 0) {
      continue;
    }
    const eviction::Observation seen{available_of(reading, inodes), capacity_of(reading, inodes),
                                     reading.read_at};
    for (const auto counted : {eviction::MinReclaim::kIgnored, eviction::MinReclaim::kEnforced}) {
      judgement.states.push_back(watch.thresholds.met(i, seen, counted));
    }
    const auto limit = static_cast<std::int64_t>(
        watch.thresholds.limit(i, seen.capacity, eviction::MinReclaim::kIgnored));
    const Distance distance{
        .left = seen.available - limit,
        .rate = inodes ? reading.inodes_per_second : reading.bytes_per_second,
        .assumed_rate = inodes ? kAssumedInodesPerSecond : kAssumedBytesPerSecond,
        .until_full = seen.available};
    judgement.met = judgement.met || distance.left < 0;
    judgement.next = std::min(judgement.next, next_sample_in(watch.sampling, distance));
  }
  return judgement;
}

}  // namespace

struct Sampler::Shared {
  Shared(Options given, base::WakeUp wake)
      : options(std::move(given)), requests(std::move(wake)), watch(options.watch) {}

  const Options options;
  /// Owned, because a hanging thread outlives everything else.
  const base::SystemClock clock{};
  /// Signalled by request() and at the end.
  const base::WakeUp requests;
  ReadingCell cell;
  std::atomic<bool> wanted{false};
  /// A request is pending.
  std::atomic<bool> unanswered{false};
  std::atomic<bool> stop{false};

  std::mutex mutex;
  std::condition_variable changed;
  SampleWatch watch;
  SamplerReport report;
  bool ended = false;

  void run();
  [[nodiscard]] Duration sample();
  void report_sample(const Result<FilesystemReading>& reading, Duration next);
  void mark_answered(bool asked);
  void tell(const FilesystemReading& reading, const Judgement& judgement);

  // Used only by the thread.
  std::optional<FilesystemReading> before;
  std::vector<bool> reported_states;
  std::optional<FilesystemReading> told;
};

void Sampler::Shared::run() {
  while (!stop.load()) {
    const Duration next = sample();
    pollfd ready{.fd = requests.descriptor(), .events = POLLIN, .revents = 0};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(next);
    const timespec timeout{.tv_sec = static_cast<time_t>(seconds.count()),
                           .tv_nsec = static_cast<long>((next - seconds).count())};
    if (::ppoll(&ready, 1, &timeout, nullptr) > 0) {
      requests.consume();
    }
  }
  const std::scoped_lock lock(mutex);
  ended = true;
  changed.notify_all();
}

Duration Sampler::Shared::sample() {
  const bool asked = wanted.exchange(false);
  SampleWatch now_watched;
  {
    const std::scoped_lock lock(mutex);
    now_watched = watch;
    report.asking_since = clock.now();
  }
  Result<FilesystemReading> reading = read_filesystem(options.path, clock.now());
  if (!reading) {
    mark_answered(asked);
    cell.clear();
    report_sample(reading, now_watched.sampling.longest);
    if (asked || std::exchange(told, std::nullopt)) {
      options.wake->signal();
    }
    return now_watched.sampling.longest;
  }
  // The numbers are as of the answer, however long it took.
  reading->read_at = clock.now();
  if (before) {
    reading->bytes_per_second = rate_between(*before, *reading, /*inodes=*/false);
    reading->inodes_per_second = rate_between(*before, *reading, /*inodes=*/true);
  }
  const Judgement judgement = judge(now_watched, options.roles, *reading);
  mark_answered(asked);
  cell.store(*reading);
  report_sample(reading, judgement.next);
  before = *reading;
  if (asked) {
    told.reset();
  }
  tell(*reading, judgement);
  return judgement.next;
}

void Sampler::Shared::report_sample(const Result<FilesystemReading>& reading, Duration next) {
  const std::scoped_lock lock(mutex);
  report.asking_since.reset();
  report.interval = next;
  ++report.samples;
  report.error.clear();
  if (!reading) {
    ++report.failures;
    report.error = reading.error().message();
  }
  changed.notify_all();
}

/// Before it is shown: whoever has seen the answer may ask anew.
void Sampler::Shared::mark_answered(bool asked) {
  if (asked && !wanted.load()) {
    unanswered.store(false);
  }
}

void Sampler::Shared::tell(const FilesystemReading& reading, const Judgement& judgement) {
  const bool news = !told || reported_states != judgement.states ||
                    (judgement.met && (told->available_bytes != reading.available_bytes ||
                                       told->inodes_free != reading.inodes_free));
  if (news) {
    told = reading;
    reported_states = judgement.states;
    options.wake->signal();
  }
}

Sampler::Sampler(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Result<std::unique_ptr<Sampler>> Sampler::start(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp requests, base::WakeUp::create());
  auto shared = std::make_shared<Shared>(std::move(options), std::move(requests));
  // The thread co-owns its part, because it may be left behind.
  std::thread([shared] {
    sys::name_thread("evictd-disk");
    shared->run();
  }).detach();
  return std::unique_ptr<Sampler>(new Sampler(std::move(shared)));
}

Sampler::~Sampler() {
  shared_->stop.store(true);
  shared_->requests.signal();
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, kEndPatience, [this] { return shared_->ended; });
}

void Sampler::request() const {
  shared_->unanswered.store(true);
  shared_->wanted.store(true);
  shared_->requests.signal();
}

void Sampler::request_newer() const {
  if (!shared_->unanswered.load()) {
    request();
  }
}

const ReadingCell& Sampler::cell() const {
  return shared_->cell;
}

void Sampler::set_watch(SampleWatch watch) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->watch = std::move(watch);
  }
  request();
}

void Sampler::await_first(MonoTime end) const {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, end - shared_->clock.now(),
                            [this] { return shared_->report.samples != 0; });
}

SamplerReport Sampler::report() const {
  SamplerReport report;
  {
    const std::scoped_lock lock(shared_->mutex);
    report = shared_->report;
  }
  report.reading = shared_->cell.load();
  return report;
}

}  // namespace evictd::disk
