// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "evictd/time.h"
#include "eviction/pass.h"

namespace evictd::engine {

/// How long a measurement of pods for a disk threshold stays valid. The kubelet measures again
/// after the same time.
inline constexpr Duration kUsageCounts = std::chrono::seconds(10);
/// Minimum time between two runs of the collectors while a pressure lasts, as in the kubelet. For a
/// new victim and for returning pressure they run at once.
inline constexpr Duration kCollectorPeriod = std::chrono::seconds(10);

/// A measurement of pods that a pass waits for.
struct DiskMeasurement {
  /// 0: none.
  std::uint64_t round = 0;
  /// Its time is up: older measurements count too.
  bool best_known = false;
};

/// Minimum margin before a filesystem is full: time to choose and kill the victim, and for a
/// growing rate. The margin is a quarter of the time left, but at least this.
inline constexpr Duration kFullMargin = std::chrono::milliseconds(50);

/// The waits of the hot thread before it chooses a pod for a disk threshold: a new measurement of
/// the pods, the collectors, and a reading of the filesystems after them. Other threads do the
/// work. Every wait is bounded. Pure: `now` is given.
class DiskWork {
 public:
  // Measurement of pods.

  /// Whether a valid measurement exists for the ranking, or none came in time.
  [[nodiscard]] bool usage_counts(MonoTime now) const;
  /// A measurement is needed. Returns its number if the caller must request it.
  std::optional<std::uint64_t> need_usage(MonoTime now, Duration max_wait);
  /// True once, when a measurement did not come in time.
  [[nodiscard]] bool gave_up_usage(MonoTime now);
  void usage_measured(std::uint64_t round, MonoTime now);
  /// Some pods were measured, or measured incompletely.
  void usage_partly_measured(std::uint64_t round);
  /// Limits the wait for the measurement by `full_at`: when a filesystem that needs an eviction is
  /// full, at its last rate. nullopt: it does not fill.
  void bound_by_full_at(MonoTime now, const std::optional<MonoTime>& full_at);
  /// True once, when the time of a partly finished measurement is up.
  [[nodiscard]] bool ran_out_of_time(MonoTime now);
  /// The measurement that a pass waits for or has given up.
  [[nodiscard]] DiskMeasurement measurement(MonoTime now) const;
  [[nodiscard]] eviction::DiskProgress progress(MonoTime now) const;
  /// A victim was chosen by the measurement. The next victim needs a new one, and collectors may
  /// run again.
  void victim_chosen();
  /// No disk threshold is met any more: collectors run at once for the next one.
  void pressure_over() { collectors_ran_at_.reset(); }

  // Collectors.

  /// A pass waits for collectors, at most `budget`. Returns the number of the run if the caller
  /// must start them: `wanted`, and not run just before.
  std::optional<std::uint64_t> begin_reclaim(MonoTime now, bool wanted, Duration budget);
  void collectors_done(std::uint64_t round);
  void end_reclaim() {
    reclaim_.reset();
    partial_news_ = false;
  }
  [[nodiscard]] bool reclaiming() const { return reclaim_.has_value(); }

  enum class Step : std::uint8_t {
    kWait,
    kReadDisks,  ///< Request readings; once.
    kResume,
  };
  /// Next step of the waiting pass. `read_at`: the oldest of the filesystems' newest readings.
  [[nodiscard]] Step next_step(MonoTime now, const std::optional<MonoTime>& read_at);

  /// When a wait ends without an event.
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
    /// Readings from this time on count.
    std::optional<MonoTime> readings_since;
  };

  std::uint64_t asked_ = 0;
  std::uint64_t measured_ = 0;
  MonoTime give_up_at_{};
  /// The last measurement with partial results, and whether a waiting pass has yet to see them.
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
