// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "disk/filesystem_reading.h"
#include "disk/places.h"
#include "disk/sampling_interval.h"
#include "evictd/result.h"
#include "eviction/threshold_table.h"

namespace evictd::disk {

/// What a filesystem is sampled for.
struct SampleWatch {
  SamplingOptions sampling;
  /// All thresholds, including those derived for the layout.
  eviction::ThresholdTable thresholds;
};

/// State of a sampler, for the status.
struct SamplerReport {
  std::optional<FilesystemReading> reading;
  /// Start of the statfs in progress; unset if there is none.
  std::optional<MonoTime> asking_since;
  Duration interval{0};
  std::uint64_t samples = 0;
  std::uint64_t failures = 0;
  /// Error of the last statfs; empty if it succeeded.
  std::string error;
};

/// A thread that reads the usage of one filesystem periodically, more often near a threshold.
/// statfs waits for ever on a dead filesystem; then only this thread hangs, and its reading becomes
/// stale.
/// Thread rule: created and destroyed by one thread; request() and cell() from any.
class Sampler {
 public:
  struct Options {
    /// Where it is mounted.
    std::string path;
    /// Roles on this filesystem; it measures their signals.
    std::vector<Role> roles;
    SampleWatch watch;
    /// Signalled when a threshold becomes met or no longer met, when the value of a met threshold
    /// changes, and when request() is answered.
    std::shared_ptr<const base::WakeUp> wake;
  };

  [[nodiscard]] static Result<std::unique_ptr<Sampler>> start(Options options);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  /// Ends the thread. If its filesystem does not answer within a second, the thread ends with the
  /// process.
  ~Sampler();

  /// Requests a reading now. Never blocks.
  void request() const;
  /// The same, unless an earlier request is pending.
  void request_newer() const;
  [[nodiscard]] const ReadingCell& cell() const;
  void set_watch(SampleWatch watch);
  /// Waits for the first reading or error, or until `end`.
  void await_first(MonoTime end) const;
  [[nodiscard]] SamplerReport report() const;

 private:
  struct Shared;
  explicit Sampler(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace evictd::disk
