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

/// What a filesystem is looked at for.
struct SampleWatch {
  SamplingOptions sampling;
  /// All thresholds, those derived for the layout included.
  eviction::ThresholdTable thresholds;
};

/// How a sampler does; for status.
struct SamplerReport {
  std::optional<FilesystemReading> reading;
  /// When the statfs that is under way began; nothing while none is.
  std::optional<MonoTime> asking_since;
  Duration interval{0};
  std::uint64_t samples = 0;
  std::uint64_t failures = 0;
  /// Of the last statfs, empty if it succeeded.
  std::string error;
};

/// A thread that asks one filesystem how full it is, again and again, the sooner the nearer a
/// threshold is. It has a thread of its own because statfs waits for ever on a dead filesystem;
/// then only this thread does, and what it knows grows old. Thread rule: made and destroyed by one
/// thread; request() and cell() from any.
class Sampler {
 public:
  struct Options {
    /// Where it is mounted.
    std::string path;
    /// Signals of these are measured here.
    std::vector<Role> roles;
    SampleWatch watch;
    /// Signalled when a threshold is met, no longer met, or met with another amount, and when
    /// request() was answered.
    std::shared_ptr<const base::WakeUp> wake;
  };

  [[nodiscard]] static Result<std::unique_ptr<Sampler>> start(Options options);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  /// Ends the thread, unless its filesystem does not answer within a second: then it is left to end
  /// with the process.
  ~Sampler();

  /// Asks for a reading now. Never blocks.
  void request() const;
  /// The same, unless an earlier request is to be answered yet.
  void request_newer() const;
  [[nodiscard]] const ReadingCell& cell() const;
  void set_watch(SampleWatch watch);
  /// Waits until it was asked once, with an answer or an error, or until `end`.
  void await_first(MonoTime end) const;
  [[nodiscard]] SamplerReport report() const;

 private:
  struct Shared;
  explicit Sampler(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace evictd::disk
