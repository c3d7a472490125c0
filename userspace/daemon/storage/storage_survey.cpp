// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/storage_survey.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/system_clock.h"

namespace evictd::daemon {

namespace {

/// Entries of each pod in the first turn, and the factor from turn to turn.
constexpr std::int64_t kFirstEntries = 256;
constexpr std::int64_t kEntriesGrowth = 8;
/// Entries of the last bounded turn.
constexpr std::int64_t kMostEntries = 1 << 20;

/// How long results of some pods may wait for those of others before they are reported.
constexpr Duration kTold = std::chrono::milliseconds(20);

/// Maximum number of walks handed on. A walk has the names of directories that it has yet to visit.
constexpr std::size_t kMostBegun = 16;

std::uint64_t inodes_in(const disk::PodWalk& walk) {
  const eviction::PodStatistics& statistics = walk.storage().statistics;
  std::uint64_t inodes = 0;
  for (const eviction::VolumeStatistics& volume : statistics.volumes) {
    inodes += volume.use.inodes.value_or(0);
  }
  for (const eviction::ContainerStatistics& container : statistics.containers) {
    for (const std::optional<eviction::StorageUse>& use : {container.logs, container.rootfs}) {
      inodes += use ? use->inodes.value_or(0) : 0;
    }
  }
  return inodes;
}

}  // namespace

StorageSurvey::StorageSurvey(Request request, std::vector<disk::PodWalk> begun)
    : request_(std::move(request)), entries_(kFirstEntries) {
  items_.reserve(request_.pods.size());
  for (disk::PodToMeasure& pod : request_.pods) {
    Item& item = items_.emplace_back();
    const auto walk = std::find_if(begun.begin(), begun.end(), [&](const disk::PodWalk& one) {
      return one.storage().uid == pod.uid;
    });
    if (walk != begun.end()) {
      item.walk = std::move(*walk);
      begun.erase(walk);
    }
    item.pod = std::move(pod);
  }
}

bool StorageSurvey::run(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell) {
  const base::SystemClock clock;
  if (!began_at_) {
    began_at_ = clock.now();
    meter.refresh();
  }
  while (entries_ <= kMostEntries) {
    if (!turn(meter, pace, tell, entries_)) {
      return false;
    }
    entries_ *= kEntriesGrowth;
  }
  if (!turn(meter, pace, tell, std::nullopt)) {
    return false;
  }
  MeasuredPods all{.round = request_.round,
                   .under_way = false,
                   .pods = {},
                   .began_at = *began_at_,
                   .ended_at = clock.now()};
  for (const Item& item : items_) {
    all.pods.push_back(item.walk->storage());
  }
  tell(std::move(all));
  return true;
}

bool StorageSurvey::turn(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell,
                         std::optional<std::int64_t> entries) {
  const base::SystemClock clock;
  MeasuredPods news{.round = request_.round,
                    .under_way = true,
                    .pods = {},
                    .began_at = *began_at_,
                    .ended_at = clock.now()};
  for (Item& item : items_) {
    if (item.done()) {
      continue;
    }
    if (!item.walk) {
      item.walk = meter.begin(item.pod);
    }
    if (entries) {
      pace.allow_steps(*entries);
    }
    meter.advance(*item.walk);
    pace.allow_all_steps();
    if (pace.cancelled()) {
      report_some(news, tell);
      return false;
    }
    if (item.done() || request_.telling == Telling::kAsItComes) {
      news.pods.push_back(item.walk->storage());
    }
    if (clock.now() - news.ended_at >= kTold) {
      report_some(news, tell);
    }
  }
  report_some(news, tell);
  return true;
}

void StorageSurvey::report_some(MeasuredPods& news, const Tell& tell) const {
  if (!news.pods.empty()) {
    news.ended_at = base::SystemClock{}.now();
    tell(news);
    news.pods.clear();
  }
}

void StorageSurvey::forget(std::string_view uid) {
  for (Item& item : items_) {
    if (item.pod.uid == uid) {
      item.walk.reset();
    }
  }
}

std::vector<disk::PodWalk> StorageSurvey::take_unfinished_walks() {
  std::vector<disk::PodWalk> begun;
  for (Item& item : items_) {
    if (item.walk && !item.walk->done()) {
      begun.push_back(std::move(*item.walk));
    }
  }
  std::sort(begun.begin(), begun.end(), [](const disk::PodWalk& one, const disk::PodWalk& other) {
    return inodes_in(one) > inodes_in(other);
  });
  if (begun.size() > kMostBegun) {
    begun.erase(begun.begin() + kMostBegun, begun.end());
  }
  items_.clear();
  return begun;
}

}  // namespace evictd::daemon
