// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/storage_worker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/timer.h"
#include "daemon/shared/worker.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

constexpr std::chrono::seconds kEndPatience{1};

// From linux/ioprio.h, which C++ cannot include.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioClassIdle = 3;
constexpr int kIoprioClassShift = 13;

/// Applies to this thread alone. If the kernel refuses, walks merely compete with others.
void use_idle_io_priority() {
  ::syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, kIoprioClassIdle << kIoprioClassShift);
}

struct Removal {
  std::string uid;
  disk::VolumesOf which = disk::VolumesOf::kAnyMedium;
};

}  // namespace

struct StorageWorker::Shared {
  /// Takes what is `wanted`.
  struct Measurement {};
  using Job = std::variant<Measurement, Removal>;

  Shared(Options given, base::WakeUp wake)
      : directories(std::move(given.directories)),
        entries_per_second(given.entries_per_second),
        answers(std::move(wake)) {}

  const disk::PodDirectories directories;
  std::atomic<std::int64_t> entries_per_second;
  /// A new job interrupts the measurement, but only the end a removal.
  disk::Pace measuring_pace;
  disk::Pace removing_pace;
  std::mutex mutex;
  /// Guarded by `mutex`. Only the newest request waits: the thread may hang for ever.
  std::optional<StorageSurvey::Request> wanted;
  Answers<StorageAnswer> answers;
  /// The measurement; used by the thread alone.
  std::optional<StorageSurvey> survey;
  /// Measurements that were requested, and neither done nor replaced.
  std::atomic<int> unfinished{0};
  Worker<Job> worker;

  void give(Job job);
  void run();
  void take(const Measurement& next);
  void take(const Removal& what);
  void measure(disk::PodStorageMeter& meter);
};

void StorageWorker::Shared::give(Job job) {
  worker.push(std::move(job));
  measuring_pace.cancel();
}

void StorageWorker::Shared::run() {
  use_idle_io_priority();
  disk::PodStorageMeter meter(directories, measuring_pace);
  for (;;) {
    std::optional<Job> job = worker.next(survey ? std::optional(Duration::zero()) : std::nullopt);
    measuring_pace.allow();
    // What was cancelled before that is seen here.
    if (worker.ending()) {
      break;
    }
    if (job) {
      std::visit([this](const auto& one) { take(one); }, *job);
    } else if (worker.waiting() == 0) {
      measure(meter);
    }
  }
  // Its walks belong to the meter.
  survey.reset();
}

void StorageWorker::Shared::take(const Measurement& /*next*/) {
  std::optional<StorageSurvey::Request> request;
  {
    const std::lock_guard lock(mutex);
    request.swap(wanted);
  }
  std::vector<disk::PodWalk> begun;
  if (survey) {
    begun = survey->take_unfinished_walks();
    --unfinished;
  }
  survey.emplace(std::move(*request), std::move(begun));
}

void StorageWorker::Shared::take(const Removal& what) {
  removing_pace.restart(entries_per_second);
  answers.push(RemovedData{.uid = what.uid,
                           .entries = disk::remove_empty_dir_data(
                               directories.kubelet_root, what.uid, removing_pace, what.which)});
  if (survey) {
    survey->forget(what.uid);
  }
}

void StorageWorker::Shared::measure(disk::PodStorageMeter& meter) {
  measuring_pace.restart(entries_per_second);
  if (survey->run(meter, measuring_pace,
                  [this](MeasuredPods some) { answers.push(std::move(some)); })) {
    survey.reset();
    --unfinished;
  }
}

StorageWorker::StorageWorker(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Result<std::unique_ptr<StorageWorker>> StorageWorker::start(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake, base::WakeUp::create());
  auto shared = std::make_shared<Shared>(std::move(options), std::move(wake));
  // The thread shares ownership, because it may have to be abandoned.
  EVICTD_TRY(shared->worker.start("evictd-volumes", [shared] { shared->run(); }));
  return std::unique_ptr<StorageWorker>(new StorageWorker(std::move(shared)));
}

StorageWorker::~StorageWorker() {
  shared_->worker.request_end();
  shared_->measuring_pace.cancel();
  shared_->removing_pace.cancel();
  shared_->worker.end_or_abandon(kEndPatience);
}

void StorageWorker::set_pace(std::int64_t entries_per_second) {
  shared_->entries_per_second = entries_per_second;
}

void StorageWorker::measure(StorageSurvey::Request request) {
  {
    const std::lock_guard lock(shared_->mutex);
    const bool waits = shared_->wanted.has_value();
    shared_->wanted = std::move(request);
    if (waits) {
      return;  // The job of the replaced request takes this one.
    }
  }
  ++shared_->unfinished;
  shared_->give(Shared::Measurement{});
}

void StorageWorker::remove_data(std::string uid, disk::VolumesOf which) {
  shared_->give(Removal{.uid = std::move(uid), .which = which});
}

int StorageWorker::descriptor() const {
  return shared_->answers.descriptor();
}

std::optional<StorageAnswer> StorageWorker::take() {
  return shared_->answers.take();
}

bool StorageWorker::measuring() const {
  return shared_->unfinished != 0;
}

}  // namespace evictd::daemon
