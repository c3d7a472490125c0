// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace evictd::web {

/// A histogram with fixed bounds, counted as Prometheus does: each bucket counts the values up to
/// its bound.
class Histogram {
 public:
  /// `bounds` ascend and outlive the histogram; the bucket beyond the last one is implied.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size()) {}

  void observe(double value);
  [[nodiscard]] std::span<const double> bounds() const { return bounds_; }
  /// Number of values up to bounds()[i].
  [[nodiscard]] std::uint64_t cumulative(std::size_t i) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

/// The measured intervals of an eviction. Each starts when the kernel side detects the crossing.
enum class Interval : std::uint8_t { kWake, kDecision, kSignal, kExit, kFreed };
inline constexpr std::size_t kIntervals = 5;

/// Counters and histograms over all followed evictions, computed from the lines of the journal. A
/// dry run counts nowhere. Pure: the caller passes the lines.
class EvictionHistory {
 public:
  EvictionHistory();

  /// Takes one line of the journal. A decision has several lines with one id; each of its values
  /// counts once, at the first line that has it.
  void take(const nlohmann::ordered_json& line);

  /// Evictions started, by signal; those for a limit on local storage by that limit.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& evictions() const { return evictions_; }
  [[nodiscard]] const Histogram& interval(Interval which) const {
    return intervals_[static_cast<std::size_t>(which)];
  }
  /// Age in seconds of the deciding reading at the decision, by signal.
  [[nodiscard]] const std::map<std::string, Histogram>& reading_age() const { return reading_age_; }
  /// Bytes by which memory exceeded its threshold when the victim was chosen.
  [[nodiscard]] const Histogram& past_threshold() const { return past_threshold_; }
  /// Seconds from SIGTERM to SIGKILL: as granted to victims, and as configured.
  [[nodiscard]] const Histogram& grace_given() const { return grace_given_; }
  [[nodiscard]] const Histogram& grace_wanted() const { return grace_wanted_; }

 private:
  struct Open {
    std::array<bool, kIntervals> counted{};
  };

  void count_start(const nlohmann::ordered_json& record);
  void count_grace(const nlohmann::ordered_json& record);
  void count_intervals(const nlohmann::ordered_json& timeline, Open& open);

  std::map<std::string, std::uint64_t> evictions_;
  std::vector<Histogram> intervals_;
  std::map<std::string, Histogram> reading_age_;
  Histogram past_threshold_;
  Histogram grace_given_;
  Histogram grace_wanted_;
  /// Evictions with values still to come, by id. Bounded: the oldest is dropped.
  std::map<std::uint64_t, Open> open_;
  std::uint64_t newest_ = 0;  ///< The largest id that was counted as started.
};

}  // namespace evictd::web
