// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/storage_worker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/timer.h"
#include "evictd/try.h"
#include "sys/thread_name.h"

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

}  // namespace

struct StorageWorker::Shared {
  Shared(Options given, base::WakeUp wake)
      : directories(std::move(given.directories)),
        entries_per_second(given.entries_per_second),
        answered(std::move(wake)) {}

  const disk::PodDirectories directories;
  disk::Pace pace;

  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t entries_per_second;
  struct Removal {
    std::string uid;
    disk::VolumesOf which = disk::VolumesOf::kAnyMedium;
  };
  std::optional<StorageSurvey::Request> wanted;
  std::deque<Removal> removals;
  std::deque<StorageAnswer> answers;
  const base::WakeUp answered;
  /// The measurement; used by the thread alone.
  std::optional<StorageSurvey> survey;
  /// The thread is measuring now; and it is measuring or has yet to continue.
  bool measuring = false;
  bool unfinished = false;
  bool stop = false;
  bool ended = false;

  void run();
  void begin(StorageSurvey::Request request);
  void remove(const Removal& what);
  void answer(StorageAnswer one);
};

void StorageWorker::Shared::run() {
  use_idle_io_priority();
  disk::PodStorageMeter meter(directories, pace);
  std::unique_lock lock(mutex);
  while (!stop) {
    if (removals.empty() && !wanted && !survey) {
      changed.wait(lock);
      continue;
    }
    pace.allow();
    const std::int64_t speed = entries_per_second;
    if (!removals.empty()) {
      const Removal what = std::move(removals.front());
      removals.pop_front();
      lock.unlock();
      pace.restart(speed);
      remove(what);
      lock.lock();
      continue;
    }
    measuring = true;
    unfinished = true;
    std::optional<StorageSurvey::Request> request = std::exchange(wanted, std::nullopt);
    lock.unlock();
    if (request) {
      begin(std::move(*request));
    }
    pace.restart(speed);
    if (survey->run(meter, pace, [this](MeasuredPods some) { answer(std::move(some)); })) {
      survey.reset();
    }
    lock.lock();
    measuring = false;
    unfinished = survey.has_value();
  }
  // Its walks belong to the meter.
  survey.reset();
  ended = true;
  changed.notify_all();
}

void StorageWorker::Shared::begin(StorageSurvey::Request request) {
  std::vector<disk::PodWalk> begun =
      survey ? survey->take_unfinished_walks() : std::vector<disk::PodWalk>();
  survey.emplace(std::move(request), std::move(begun));
}

void StorageWorker::Shared::remove(const Removal& what) {
  answer(RemovedData{.uid = what.uid,
                     .entries = disk::remove_empty_dir_data(directories.kubelet_root, what.uid,
                                                            pace, what.which)});
  if (survey) {
    survey->forget(what.uid);
  }
}

void StorageWorker::Shared::answer(StorageAnswer one) {
  {
    const std::scoped_lock lock(mutex);
    answers.push_back(std::move(one));
  }
  answered.signal();
}

StorageWorker::StorageWorker(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Result<std::unique_ptr<StorageWorker>> StorageWorker::start(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake, base::WakeUp::create());
  auto shared = std::make_shared<Shared>(std::move(options), std::move(wake));
  // The thread shares ownership, because it may have to be abandoned.
  std::thread([shared] {
    sys::name_thread("evictd-volumes");
    shared->run();
  }).detach();
  return std::unique_ptr<StorageWorker>(new StorageWorker(std::move(shared)));
}

StorageWorker::~StorageWorker() {
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->pace.cancel();
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, kEndPatience, [this] { return shared_->ended; });
}

void StorageWorker::set_pace(std::int64_t entries_per_second) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->entries_per_second = entries_per_second;
}

void StorageWorker::measure(StorageSurvey::Request request) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->wanted = std::move(request);
  if (shared_->measuring) {
    shared_->pace.cancel();
  }
  shared_->changed.notify_all();
}

void StorageWorker::remove_data(std::string uid, disk::VolumesOf which) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->removals.push_back({.uid = std::move(uid), .which = which});
  if (shared_->measuring) {
    // A disk is short until it is done: the measurement continues after it.
    shared_->pace.cancel();
  }
  shared_->changed.notify_all();
}

int StorageWorker::descriptor() const {
  return shared_->answered.descriptor();
}

StorageAnswer StorageWorker::take() {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->answers.empty()) {
    shared_->answered.consume();
    return {};
  }
  StorageAnswer one = std::move(shared_->answers.front());
  shared_->answers.pop_front();
  return one;
}

bool StorageWorker::measuring() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->unfinished || shared_->wanted.has_value();
}

}  // namespace evictd::daemon
