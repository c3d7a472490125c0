// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk/pod_storage.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Pods that were measured.
struct MeasuredPods {
  /// As given to measure().
  std::uint64_t round = 0;
  /// More of it comes: these are the pods that were looked at since the answer before, some of them
  /// cut short. The last answer has all of them.
  bool under_way = false;
  std::vector<disk::PodStorage> pods;
  MonoTime began_at{};
  MonoTime ended_at{};
};

/// One measurement of many pods. Every pod is walked for a few entries, then those with more for
/// more and more, so that soon all are known but the ones with much. It is told pod by pod, may be
/// interrupted at any entry of any directory, and goes on from there; walks that have begun are
/// handed on to the next one.
/// Thread rule: the one that measures.
class StorageSurvey {
 public:
  /// What is told of a pod: the whole of it, or also what is known so far.
  enum class Telling : std::uint8_t { kWholePods, kAsItComes };
  struct Request {
    std::uint64_t round = 0;
    std::vector<disk::PodToMeasure> pods;
    Telling telling = Telling::kWholePods;
  };
  using Tell = std::function<void(MeasuredPods)>;

  /// `begun`: walks of a survey before that were not done.
  StorageSurvey(Request request, std::vector<disk::PodWalk> begun);

  /// Goes on until all is measured, or the pace is cancelled. Whether all is.
  [[nodiscard]] bool run(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell);
  /// The files of a pod are others now: it is measured anew.
  void forget(std::string_view uid);
  /// The walks that are not done, no more than some: those that have come furthest.
  [[nodiscard]] std::vector<disk::PodWalk> take_begun();

 private:
  struct Item {
    disk::PodToMeasure pod;
    std::optional<disk::PodWalk> walk;

    [[nodiscard]] bool done() const { return walk && walk->done(); }
  };

  /// Gives each pod that is not done a turn of so many entries; of all of them without a number.
  bool turn(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell,
            std::optional<std::int64_t> entries);
  void tell_some(MeasuredPods& news, const Tell& tell) const;

  Request request_;
  std::vector<Item> items_;
  /// Entries of the next turn.
  std::int64_t entries_;
  std::optional<MonoTime> began_at_;
};

}  // namespace evictd::daemon
