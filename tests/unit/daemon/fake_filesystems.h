// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/timer.h"
#include "core/clock.h"
#include "disk/filesystem_reading.h"
#include "disk/newest_readings.h"
#include "evictd/bytes.h"

namespace evictd::daemon {

/// An image filesystem apart from the node's, both of 1000 MiB, which are read when the test says
/// so: stamped by the clock of the hot thread. What it asks for is counted.
class FakeFilesystems final : public disk::NewestReadings {
 public:
  explicit FakeFilesystems(const core::Clock& clock) : clock_(clock) {}

  [[nodiscard]] std::optional<eviction::FilesystemStatistics> statistics(
      disk::Role role, MonoTime /*now*/) const override {
    const std::optional<disk::FilesystemReading> reading = cell(role).load();
    if (!reading) {
      return std::nullopt;
    }
    eviction::FilesystemStatistics statistics;
    statistics.time = reading->read_at;
    statistics.available_bytes = static_cast<std::uint64_t>(reading->available_bytes);
    statistics.capacity_bytes = static_cast<std::uint64_t>(reading->capacity_bytes);
    return statistics;
  }
  [[nodiscard]] std::optional<MonoTime> full_at(disk::Role role, bool inodes) const override {
    const std::optional<disk::FilesystemReading> reading = cell(role).load();
    return reading ? disk::full_at(*reading, inodes) : std::nullopt;
  }
  [[nodiscard]] std::optional<MonoTime> all_asked_at() const override {
    std::optional<MonoTime> oldest;
    for (const disk::ReadingCell& one : cells_) {
      if (const auto reading = one.load(); reading && (!oldest || reading->asked_at < *oldest)) {
        oldest = reading->asked_at;
      }
    }
    return oldest;
  }
  [[nodiscard]] int descriptor() const override { return wake_.descriptor(); }
  void consume() const override { wake_.consume(); }
  void request() const override { requested_.signal(); }
  void request_newer(disk::Role role) const override {
    asked_.at(static_cast<std::size_t>(role)).fetch_add(1);
  }
  [[nodiscard]] eviction::DiskLayout layout() const override {
    return {.dedicated_image_fs = true};
  }

  // For the test.

  /// As if it had been asked now. Answers nobody yet.
  void read(disk::Role role, Bytes available, std::int64_t bytes_per_second = 0) {
    const MonoTime now = clock_.now();
    cells_.at(static_cast<std::size_t>(role))
        .store({.available_bytes = available.value,
                .capacity_bytes = (1000_MiB).value,
                .inodes_free = 0,
                .inodes = 0,
                .bytes_per_second = bytes_per_second,
                .inodes_per_second = 0,
                .asked_at = now,
                .read_at = now});
  }
  /// Wakes the hot thread, as a sampler does once it has read.
  void answer() const { wake_.signal(); }
  /// How often a newer reading of that one alone was asked for.
  [[nodiscard]] int asked(disk::Role role) const {
    return asked_.at(static_cast<std::size_t>(role)).load();
  }
  /// Until new readings of all are asked for. The deadline is for failure only.
  void await_request() const {
    pollfd ready{.fd = requested_.descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ready, 1, 60'000), 1) << "nobody asked for readings";
    requested_.consume();
  }

 private:
  [[nodiscard]] const disk::ReadingCell& cell(disk::Role role) const {
    return cells_.at(static_cast<std::size_t>(role));
  }

  const core::Clock& clock_;
  std::array<disk::ReadingCell, disk::kRoles> cells_;
  mutable std::array<std::atomic<int>, disk::kRoles> asked_{};
  base::WakeUp wake_{base::WakeUp::create().value()};
  base::WakeUp requested_{base::WakeUp::create().value()};
};

}  // namespace evictd::daemon
