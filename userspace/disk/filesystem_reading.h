// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::disk {

/// One statfs of a filesystem.
struct FilesystemReading {
  /// Free for ordinary users, and the whole size. Units: bytes.
  std::int64_t available_bytes = 0;
  std::int64_t capacity_bytes = 0;
  /// Both 0 on a filesystem that creates inodes on demand.
  std::int64_t inodes_free = 0;
  std::int64_t inodes = 0;
  /// Usage growth per second since the previous reading; negative while space is freed; 0 without
  /// a previous reading.
  std::int64_t bytes_per_second = 0;
  std::int64_t inodes_per_second = 0;
  /// When statfs was called: the numbers include everything before.
  MonoTime asked_at{};
  MonoTime read_at{};
};

/// Reads the filesystem at `path`. May wait for ever on a dead one. Units and rounding as in the
/// kubelet: blocks times f_frsize, free space without root's reserve.
/// Errors: those of statvfs(3), with the path.
[[nodiscard]] Result<FilesystemReading> read_filesystem(const std::string& path, MonoTime now);

/// When the filesystem is full at the rate since the previous reading; nullopt if it does not fill.
[[nodiscard]] std::optional<MonoTime> full_at(const FilesystemReading& reading, bool inodes);

/// The newest reading of one filesystem, from one writing thread to any number of readers. A reader
/// never waits for the writer, whatever their priorities: it reads the last written of two places
/// while the writer writes the other one.
class ReadingCell {
 public:
  /// Thread rule: one writer.
  void store(const FilesystemReading& reading);
  /// Removes the reading: the filesystem could not be read.
  void clear() { valid_.store(false, std::memory_order_release); }
  /// The newest reading; nullopt if there is none.
  [[nodiscard]] std::optional<FilesystemReading> load() const;

 private:
  static constexpr std::size_t kWords = 8;
  using Words = std::array<std::atomic<std::int64_t>, kWords>;

  /// Number of readings so far; modulo two it is the place of the newest.
  std::atomic<std::uint64_t> count_{0};
  std::array<Words, 2> places_{};
  std::atomic<bool> valid_{false};
};

}  // namespace evictd::disk
