// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "evictd/time.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// A measurement of pods that was asked for because of a disk threshold counts this long; the
/// kubelet looks again after as long.
inline constexpr Duration kUsageCounts = std::chrono::seconds(10);
/// Collectors run again at once for a new victim and for a pressure that is back, and while one
/// lasts no more often than the kubelet's.
inline constexpr Duration kCollectorPeriod = std::chrono::seconds(10);

/// A measurement of pods that somebody waits for.
struct DiskMeasurement {
  /// 0 while there is none.
  std::uint64_t round = 0;
  /// Its time is up: what was measured before counts too.
  bool best_known = false;
};

/// What is kept of the time that is left until a filesystem is full, for the victim to be chosen
/// and to die, and of a rate that grows: a quarter of it and at least so much.
inline constexpr Duration kFullMargin = std::chrono::milliseconds(50);

/// What the hot thread waits for before it chooses a pod for a disk threshold: a new measurement of
/// the pods, collectors, and a reading of the filesystems made after them. Everything is done by
/// others; nothing is waited for longer than a bound. Pure: `now` is given.
class DiskWork {
 public:
  // Measurement of pods.

  /// Whether there is one to rank by, or none came in time.
  [[nodiscard]] bool usage_counts(MonoTime now) const;
  /// Notes that one is needed; answers its number if it has to be asked for.
  std::optional<std::uint64_t> need_usage(MonoTime now, Duration max_wait);
  /// True once, when a measurement did not come in time.
  [[nodiscard]] bool gave_up_usage(MonoTime now);
  void usage_measured(std::uint64_t round, MonoTime now);
  /// Some pods were measured, or not to their end.
  void usage_partly_measured(std::uint64_t round);
  /// A filesystem for which a pod has to go is full at that time, at the rate last seen; nothing
  /// while it does not fill. Bounds the time of the measurement that is awaited.
  void bound_by_full_at(MonoTime now, const std::optional<MonoTime>& full_at);
  /// True once, when the time of a measurement is up that some were measured in.
  [[nodiscard]] bool ran_out_of_time(MonoTime now);
  /// The one that is awaited, or was given up.
  [[nodiscard]] DiskMeasurement measurement(MonoTime now) const;
  [[nodiscard]] eviction::DiskProgress progress(MonoTime now) const;
  /// A victim was chosen by it: the next one needs another, and collectors may run again.
  void victim_chosen();
  /// No disk is short any more: collectors run at once when one is again.
  void pressure_over() { collectors_ran_at_.reset(); }

  // Collectors.

  /// A pass waits for collectors, at most `budget`. Answers their number if they are to be run:
  /// `wanted`, and not run just before.
  std::optional<std::uint64_t> begin_reclaim(MonoTime now, bool wanted, Duration budget);
  void collectors_done(std::uint64_t round);
  void end_reclaim() {
    reclaim_.reset();
    partial_news_ = false;
  }
  [[nodiscard]] bool reclaiming() const { return reclaim_.has_value(); }

  enum class Step : std::uint8_t {
    kWait,
    kReadDisks,  ///< Ask for readings; once.
    kResume,
  };
  /// What is next for the waiting pass. `read_at`: the oldest of the newest readings.
  [[nodiscard]] Step next_step(MonoTime now, const std::optional<MonoTime>& read_at);

  /// When something happens without anybody telling.
  [[nodiscard]] std::optional<MonoTime> deadline(MonoTime now) const;

 private:
  [[nodiscard]] bool awaited() const { return asked_ > measured_; }
  [[nodiscard]] bool time_is_up(MonoTime now) const {
    return awaited() && time_up_at_ && now >= *time_up_at_;
  }

  struct Reclaim {
    std::uint64_t round = 0;
    bool collectors_done = false;
    MonoTime deadline{};
    /// Since when readings count.
    std::optional<MonoTime> readings_since;
  };

  std::uint64_t asked_ = 0;
  std::uint64_t measured_ = 0;
  MonoTime give_up_at_{};
  /// The last measurement of which some is known, and whether a waiting pass has yet to see it.
  std::uint64_t partly_measured_ = 0;
  bool partial_news_ = false;
  std::optional<MonoTime> time_up_at_;
  bool reported_time_up_ = false;
  bool reported_give_up_ = false;
  std::optional<MonoTime> counts_until_;
  std::uint64_t collector_rounds_ = 0;
  std::optional<MonoTime> collectors_ran_at_;
  std::optional<Reclaim> reclaim_;
};

}  // namespace evictd::engine
