// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage_worker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/system_clock.h"
#include "base/timer.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

namespace {

constexpr std::chrono::seconds kEndPatience{1};

// From linux/ioprio.h, which C++ cannot include.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioClassIdle = 3;
constexpr int kIoprioClassShift = 13;

/// Of this thread alone. Where the kernel refuses, walks merely compete with others.
void use_idle_io_priority() {
  ::syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, kIoprioClassIdle << kIoprioClassShift);
}

struct WantedRound {
  std::uint64_t round = 0;
  std::vector<std::string> uids;
  StorageWorker::Telling telling = StorageWorker::Telling::kAtTheEnd;
};

/// Entries of each pod that the first walk looks at, and how many times more the next one does. A
/// walk begins anew, which costs a seventh more in all: a pod's place in its tree takes descriptors
/// to keep.
constexpr std::int64_t kFirstEntries = 256;
constexpr std::int64_t kEntriesGrowth = 8;
/// The last walk that is cut short.
constexpr std::int64_t kMostEntries = 1 << 20;

/// How long what was found of some pods may wait for that of others before it is told.
constexpr Duration kTold = std::chrono::milliseconds(20);

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
  std::optional<WantedRound> wanted;
  struct Removal {
    std::string uid;
    disk::VolumesOf which = disk::VolumesOf::kAnyMedium;
  };
  std::deque<Removal> removals;
  std::deque<StorageAnswer> answers;
  const base::WakeUp answered;
  bool measuring = false;
  /// What is measured while it is.
  WantedRound current;
  bool stop = false;
  bool ended = false;

  void run();
  void measure(const WantedRound& what);
  bool look(disk::PodStorageMeter& meter, MeasuredPods& measured, std::int64_t most);
  void remove(const Removal& what);
  void answer(StorageAnswer one);
};

void StorageWorker::Shared::run() {
  use_idle_io_priority();
  std::unique_lock lock(mutex);
  while (!stop) {
    if (removals.empty() && !wanted) {
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
    } else {
      const WantedRound what = *std::exchange(wanted, std::nullopt);
      current = what;
      measuring = true;
      lock.unlock();
      pace.restart(speed);
      measure(what);
    }
    lock.lock();
    measuring = false;
  }
  ended = true;
  changed.notify_all();
}

void StorageWorker::Shared::measure(const WantedRound& what) {
  const base::SystemClock clock;
  MeasuredPods measured{
      .round = what.round, .under_way = false, .pods = {}, .began_at = clock.now(), .ended_at = {}};
  disk::PodStorageMeter meter(directories, pace);
  for (const std::string& uid : what.uids) {
    disk::PodStorage& storage = measured.pods.emplace_back();
    storage.uid = uid;
    storage.cut_short = true;
  }
  if (what.telling == Telling::kAsItComes) {
    for (std::int64_t most = kFirstEntries; most <= kMostEntries; most *= kEntriesGrowth) {
      if (!look(meter, measured, most)) {
        return;
      }
    }
  }
  pace.allow_all_steps();
  for (disk::PodStorage& storage : measured.pods) {
    if (storage.cut_short) {
      storage = meter.measure(storage.uid);
    }
    if (pace.cancelled()) {
      return;
    }
  }
  measured.ended_at = clock.now();
  answer(std::move(measured));
}

/// Walks those that were cut short before for `most` entries each, and tells what it found. False:
/// it was told to give up.
bool StorageWorker::Shared::look(disk::PodStorageMeter& meter, MeasuredPods& measured,
                                 std::int64_t most) {
  const base::SystemClock clock;
  MeasuredPods news{.round = measured.round,
                    .under_way = true,
                    .pods = {},
                    .began_at = measured.began_at,
                    .ended_at = clock.now()};
  const auto tell = [&] {
    if (!news.pods.empty()) {
      news.ended_at = clock.now();
      answer(news);
      news.pods.clear();
    }
  };
  for (disk::PodStorage& storage : measured.pods) {
    if (!storage.cut_short) {
      continue;
    }
    pace.allow_steps(most);
    storage = meter.measure(storage.uid);
    pace.allow_all_steps();
    if (pace.cancelled()) {
      return false;
    }
    news.pods.push_back(storage);
    if (clock.now() - news.ended_at >= kTold) {
      tell();
    }
  }
  tell();
  return true;
}

void StorageWorker::Shared::remove(const Removal& what) {
  answer(RemovedData{.uid = what.uid,
                     .entries = disk::remove_empty_dir_data(directories.kubelet_root, what.uid,
                                                            pace, what.which)});
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
  Result<base::WakeUp> wake = base::WakeUp::create();
  if (!wake) {
    return Failure(wake.error());
  }
  auto shared = std::make_shared<Shared>(std::move(options), std::move(*wake));
  // The thread owns its part too, because it may have to be left behind.
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

void StorageWorker::measure(std::uint64_t round, std::vector<std::string> uids, Telling telling) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->wanted = WantedRound{.round = round, .uids = std::move(uids), .telling = telling};
  if (shared_->measuring) {
    shared_->pace.cancel();
  }
  shared_->changed.notify_all();
}

void StorageWorker::remove_data(std::string uid, disk::VolumesOf which) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->removals.push_back({.uid = std::move(uid), .which = which});
  if (shared_->measuring && !shared_->wanted) {
    // A disk is short until it is done: the measurement begins anew after it.
    shared_->wanted = shared_->current;
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
  return shared_->measuring || shared_->wanted.has_value();
}

}  // namespace evictd::daemon
