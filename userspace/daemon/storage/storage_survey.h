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
  /// More answers follow. This one has the pods read since the previous answer, some of them cut
  /// short. The last answer has all pods.
  bool under_way = false;
  std::vector<disk::PodStorage> pods;
  MonoTime began_at{};
  MonoTime ended_at{};
};

/// One measurement of many pods. Each turn walks every pod for some entries, and the next turn
/// walks the larger ones further. So soon all pods but the largest are known. Reports pod by pod.
/// It may be interrupted at any entry of any directory and continues from there; the next
/// measurement takes over unfinished walks. Thread rule: the measuring thread.
class StorageSurvey {
 public:
  /// Which results are reported: whole pods only, or also partial ones.
  enum class Telling : std::uint8_t { kWholePods, kAsItComes };
  struct Request {
    std::uint64_t round = 0;
    std::vector<disk::PodToMeasure> pods;
    Telling telling = Telling::kWholePods;
  };
  using Tell = std::function<void(MeasuredPods)>;

  /// `begun`: unfinished walks of an earlier survey.
  StorageSurvey(Request request, std::vector<disk::PodWalk> begun);

  /// Continues until all pods are measured or the pace is cancelled. Returns whether all are
  /// measured.
  [[nodiscard]] bool run(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell);
  /// The files of a pod changed: it is measured again.
  void forget(std::string_view uid);
  /// The unfinished walks that have come furthest, up to a limit.
  [[nodiscard]] std::vector<disk::PodWalk> take_unfinished_walks();

 private:
  struct Item {
    disk::PodToMeasure pod;
    std::optional<disk::PodWalk> walk;

    [[nodiscard]] bool done() const { return walk && walk->done(); }
  };

  /// Walks each unfinished pod for that many entries; to the end without a number.
  bool turn(disk::PodStorageMeter& meter, disk::Pace& pace, const Tell& tell,
            std::optional<std::int64_t> entries);
  void report_some(MeasuredPods& news, const Tell& tell) const;

  Request request_;
  std::vector<Item> items_;
  /// Entries of the next turn.
  std::int64_t entries_;
  std::optional<MonoTime> began_at_;
};

}  // namespace evictd::daemon
