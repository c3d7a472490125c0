// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Detects that the hot thread lost its real-time priority, to its running time limit or to another
/// process, and restores it once the thread was quiet for a while. A thread that never had it is
/// left alone. (--notify-only watches its own thread: PriorityReturn.) Thread rule: housekeeping.
class PriorityWatch {
 public:
  /// The thread is quiet if it runs for less than kMostRun in this time.
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  static constexpr Duration kMostRun = kQuiet / 10;

  struct Means {
    std::function<bool()> in_force;
    /// How often the limit took it: realtime_overruns().
    std::function<std::uint64_t()> overruns;
    /// CPU time of the thread.
    std::function<Duration()> run;
    std::function<Result<>()> give_back;
  };
  struct Change {
    bool in_force = false;
    std::string text;
    bool operator==(const Change&) const = default;
  };

  explicit PriorityWatch(Means means)
      : means_(std::move(means)), had_it_(means_.in_force()), overruns_(means_.overruns()) {}

  /// Returns what to report, if anything; call it at each health check. A failure to restore the
  /// priority is reported once and retried after each quiet time.
  [[nodiscard]] std::optional<Change> check(MonoTime now);
  /// Number of losses.
  [[nodiscard]] std::uint64_t losses() const { return losses_; }

 private:
  void wait(MonoTime now);
  [[nodiscard]] Change lost(MonoTime now);
  [[nodiscard]] std::optional<Change> give_back(MonoTime now);

  Means means_;
  bool had_it_;
  std::uint64_t overruns_;
  std::uint64_t losses_ = 0;
  /// Start of the wait for a quiet time, while the priority is lost.
  std::optional<MonoTime> waits_since_;
  /// CPU time of the thread at that time.
  Duration had_run_{};
  bool refusal_told_ = false;
};

}  // namespace evictd::daemon
