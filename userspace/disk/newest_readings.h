// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disk/places.h"
#include "evictd/time.h"
#include "eviction/disk_layout.h"
#include "eviction/observation.h"

namespace evictd::disk {

/// The newest readings of the node's filesystems, and requests for newer ones, for the hot thread:
/// no call blocks or waits for an answer.
class NewestReadings {
 public:
  NewestReadings() = default;
  NewestReadings(const NewestReadings&) = delete;
  NewestReadings& operator=(const NewestReadings&) = delete;
  virtual ~NewestReadings() = default;

  /// The newest statistics of a role's filesystem, as in the kubelet; nullopt if it was never read,
  /// or has not answered for more than two of the longest intervals. Any thread; never blocks.
  [[nodiscard]] virtual std::optional<eviction::FilesystemStatistics> statistics(
      Role role, MonoTime now) const = 0;
  /// When it is full at its last rate; nullopt if it does not fill. Any thread.
  [[nodiscard]] virtual std::optional<MonoTime> full_at(Role role, bool inodes) const = 0;
  /// Request time of the oldest of the newest readings: all of them include everything before.
  /// nullopt while one is missing.
  [[nodiscard]] virtual std::optional<MonoTime> all_asked_at() const = 0;
  /// Readable when a reading requires a pass; then call consume(). One thread.
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual void consume() const = 0;
  /// Requests new readings of all filesystems; the answer makes descriptor() readable. Any thread.
  virtual void request() const = 0;
  /// The same for one role's filesystem, unless an earlier request is pending, whose answer is
  /// sufficient. Any thread.
  virtual void request_newer(Role role) const = 0;
  [[nodiscard]] virtual eviction::DiskLayout layout() const = 0;
};

}  // namespace evictd::disk
