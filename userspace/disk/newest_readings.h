// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disk/places.h"
#include "evictd/time.h"
#include "eviction/disk_layout.h"
#include "eviction/observation.h"

namespace evictd::disk {

/// What is known of the node's filesystems, and a way to have them looked at anew, as the hot
/// thread has it: nothing here blocks or waits for an answer.
class NewestReadings {
 public:
  NewestReadings() = default;
  NewestReadings(const NewestReadings&) = delete;
  NewestReadings& operator=(const NewestReadings&) = delete;
  virtual ~NewestReadings() = default;

  /// The newest statistics of a role's filesystem, as the kubelet has them; nothing if it was never
  /// read or did not answer for longer than two of the longest intervals. Any thread; never blocks.
  [[nodiscard]] virtual std::optional<eviction::FilesystemStatistics> statistics(
      Role role, MonoTime now) const = 0;
  /// When nothing of it is left at the rate last seen; nothing while it does not fill. Any thread.
  [[nodiscard]] virtual std::optional<MonoTime> full_at(Role role, bool inodes) const = 0;
  /// When the oldest of the newest readings was asked for: all of them know what had happened by
  /// then. Nothing while one is missing.
  [[nodiscard]] virtual std::optional<MonoTime> all_asked_at() const = 0;
  /// Readable when a reading wants a pass; consume() then. One thread.
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual void consume() const = 0;
  /// Asks for new readings of all now; the answer makes descriptor() readable. Any thread.
  virtual void request() const = 0;
  /// The same of a role's filesystem alone, and not while an earlier request is to be answered: its
  /// answer will do. Any thread.
  virtual void request_newer(Role role) const = 0;
  [[nodiscard]] virtual eviction::DiskLayout layout() const = 0;
};

}  // namespace evictd::disk
