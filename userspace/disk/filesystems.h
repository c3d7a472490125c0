// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/timer.h"
#include "disk/newest_readings.h"
#include "disk/places.h"
#include "disk/sampler.h"
#include "evictd/result.h"
#include "eviction/observation.h"

namespace evictd::disk {

/// Status of one filesystem.
struct FilesystemReport {
  Place place;
  std::vector<Role> roles;
  SamplerReport sampler;
  /// The reading is too old to be used.
  bool stale = false;
};

/// The node's filesystems, each sampled by its own thread, and their newest readings.
class Filesystems final : public NewestReadings {
 public:
  struct Options {
    Places places;
    SampleWatch watch;
  };
  [[nodiscard]] static Result<std::unique_ptr<Filesystems>> start(const Options& options);

  [[nodiscard]] std::optional<eviction::FilesystemStatistics> statistics(
      Role role, MonoTime now) const override;
  [[nodiscard]] std::optional<MonoTime> full_at(Role role, bool inodes) const override;
  [[nodiscard]] std::optional<MonoTime> all_asked_at() const override;
  [[nodiscard]] int descriptor() const override { return wake_->descriptor(); }
  void consume() const override { wake_->consume(); }
  void request() const override;
  void request_newer(Role role) const override;
  [[nodiscard]] eviction::DiskLayout layout() const override { return layout_of(places_); }

  [[nodiscard]] const Places& places() const { return places_; }
  /// Replaces the thresholds and intervals.
  void set_watch(const SampleWatch& watch);
  [[nodiscard]] std::vector<FilesystemReport> report(MonoTime now) const;
  /// Waits until each was read once, or until `end`: a hanging filesystem must not delay the rest.
  void await_first(MonoTime end) const;

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
  /// Nanoseconds after which a reading is stale.
  std::atomic<std::int64_t> stale_after_ns_{0};
};

}  // namespace evictd::disk
