// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "eviction/disk_layout.h"
#include "replay/recorded.h"

namespace evictd::replay {

inline double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// What is on the disks of a World beyond what was recorded.
///
/// A pod that lives on writes on as fast as it was measured to: whole measurements that became
/// known half a second apart or more. Where there are none, it is as fast as all that was written
/// before its end. What it leaves behind is freed in the proportion in which it was in the
/// recording: files may stay when their pod is gone. Collectors free what they freed in the
/// recording, the first run what the first one did and so on, and take as long.
class WorldDisk {
 public:
  /// `parts` is borrowed. Files of a pod that is ended here and never in the recording are freed
  /// with it if `files_go`, else they stay.
  WorldDisk(const Parts& parts, bool files_go);

  /// As World::let_live_on() and World::end(), for pods whose fate is another one than recorded.
  void let_live_on(std::size_t pod, MonoTime now);
  void end(std::size_t pod, MonoTime kill_at);

  /// Collectors begin to run: how long they take; zero where the recording has no more runs.
  Duration begin_reclaim(MonoTime now);
  /// Runs that the recording has nothing about.
  [[nodiscard]] std::size_t unknown_reclaims() const { return unknown_reclaims_; }

  /// How much less there is of `signal` than was recorded, in bytes or inodes.
  [[nodiscard]] double surplus(eviction::Signal signal, MonoTime now) const;
  /// Pods that live on whose growth is taken from a signal as a whole.
  [[nodiscard]] const std::set<std::size_t>& guessed() const { return guessed_; }

 private:
  using Amounts = std::array<double, eviction::kSignalCount>;
  /// What became of the files of a pod after it was ended in the recording.
  struct Release {
    MonoTime at{};
    Amounts held{};
    /// How much of it was free again at which pass, rising.
    std::array<std::vector<std::pair<MonoTime, double>>, eviction::kSignalCount> freed;
  };
  struct Fate {
    /// Unset: it was not ended in the recording before it was here.
    bool spared = false;
    std::optional<MonoTime> kill_at;
    Amounts growth{};
  };
  /// A measurement, and from when to when passes had it.
  struct Known {
    double amount = 0;
    MonoTime first{};
    MonoTime last{};
  };
  struct Run {
    MonoTime begin{};
    std::size_t place = 0;
  };

  void add_release(const RecordedPass& pass, std::size_t place, std::size_t pod);
  /// Of a pod that is being counted at that pass not less than was counted of it before.
  [[nodiscard]] double measured_at(std::size_t place, std::size_t pod,
                                   eviction::Signal signal) const;
  [[nodiscard]] double measured(std::size_t pod, eviction::Signal signal, MonoTime now) const;
  [[nodiscard]] double recorded(std::size_t pod, eviction::Signal signal, MonoTime now) const;
  [[nodiscard]] double held(std::size_t pod, const Fate& fate, eviction::Signal signal,
                            MonoTime now) const;
  /// The part of its files that was freed in the end.
  [[nodiscard]] double freed_share(std::size_t pod, eviction::Signal signal) const;
  [[nodiscard]] Known known_before(std::size_t pod, eviction::Signal signal,
                                   std::size_t& end) const;
  [[nodiscard]] double measured_growth(std::size_t pod, eviction::Signal signal,
                                       std::size_t until) const;
  [[nodiscard]] double fall_of(eviction::Signal signal, std::size_t until) const;
  [[nodiscard]] double reclaimed(std::size_t place, MonoTime begin, eviction::Signal signal,
                                 MonoTime now) const;

  const Parts* parts_;
  bool files_go_;
  eviction::DiskLayout layout_;
  std::map<std::size_t, Release> releases_;
  std::map<std::size_t, Fate> fates_;
  std::vector<RecordedReclaim> reclaims_;
  std::vector<Run> runs_;
  std::size_t unknown_reclaims_ = 0;
  std::set<std::size_t> guessed_;
};

}  // namespace evictd::replay
