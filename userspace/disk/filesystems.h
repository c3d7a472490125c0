// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/timer.h"
#include "disk/places.h"
#include "disk/sampler.h"
#include "evictd/result.h"
#include "eviction/observation.h"

namespace evictd::disk {

/// What of one filesystem can be shown.
struct FilesystemReport {
  Place place;
  std::vector<Role> roles;
  SamplerReport sampler;
  /// The reading is too old to be used.
  bool stale = false;
};

/// The node's filesystems, each sampled by a thread of its own, and the newest readings of them.
class Filesystems {
 public:
  struct Options {
    Places places;
    SampleWatch watch;
  };
  [[nodiscard]] static Result<std::unique_ptr<Filesystems>> start(const Options& options);

  /// The newest statistics of a role's filesystem, as the kubelet has them; nothing if it was never
  /// read or did not answer for longer than two of the longest intervals. Any thread; never blocks.
  [[nodiscard]] std::optional<eviction::FilesystemStatistics> statistics(Role role,
                                                                         MonoTime now) const;
  /// When the oldest of the newest readings was asked for: all of them know what had happened by
  /// then. Nothing while one is missing.
  [[nodiscard]] std::optional<MonoTime> all_asked_at() const;
  /// Readable when a reading wants a pass; consume() then. One thread.
  [[nodiscard]] int descriptor() const { return wake_->descriptor(); }
  void consume() const { wake_->consume(); }
  /// Asks for new readings of all now; the answer makes descriptor() readable. Any thread.
  void request() const;

  [[nodiscard]] eviction::DiskLayout layout() const { return layout_of(places_); }
  [[nodiscard]] const Places& places() const { return places_; }
  /// Other thresholds or bounds from now on.
  void set_watch(const SampleWatch& watch);
  [[nodiscard]] std::vector<FilesystemReport> report(MonoTime now) const;

 private:
  struct Sampled {
    Place place;
    std::vector<Role> roles;
    std::unique_ptr<Sampler> sampler;
  };
  explicit Filesystems(Places places) : places_(std::move(places)) {}
  [[nodiscard]] Result<> start_samplers(const Options& options);

  Places places_;
  std::shared_ptr<const base::WakeUp> wake_;
  std::vector<Sampled> sampled_;
  /// Index into sampled_, by role.
  std::array<std::size_t, kRoles> of_role_{};
  /// Nanoseconds after which a reading counts no longer.
  std::atomic<std::int64_t> stale_after_ns_{0};
};

}  // namespace evictd::disk
