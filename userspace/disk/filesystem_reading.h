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
  /// Both 0 on a filesystem that makes inodes as it needs them.
  std::int64_t inodes_free = 0;
  std::int64_t inodes = 0;
  /// Used up a second since the reading before; negative while more becomes free, 0 without one.
  std::int64_t bytes_per_second = 0;
  std::int64_t inodes_per_second = 0;
  /// When it was asked: what happened before that is in the numbers.
  MonoTime asked_at{};
  MonoTime read_at{};
};

/// Asks the filesystem at `path`. May wait for ever on a dead one. Units and rounding are those of
/// the kubelet: blocks times f_frsize, what is free without the reserve of root.
/// Errors: those of statvfs(3), with the path.
[[nodiscard]] Result<FilesystemReading> read_filesystem(const std::string& path, MonoTime now);

/// When nothing will be left if it goes on as since the reading before; nothing while it does not
/// fill.
[[nodiscard]] std::optional<MonoTime> full_at(const FilesystemReading& reading, bool inodes);

/// The newest reading of one filesystem, handed from one writing thread to any number of readers.
/// A reader never waits for the writer, whatever their priorities: of two places the one that was
/// written last is read while the other one is written.
class ReadingCell {
 public:
  /// Thread rule: one writer.
  void store(const FilesystemReading& reading);
  /// From now on there is none: the filesystem could not be asked.
  void clear() { valid_.store(false, std::memory_order_release); }
  /// The newest reading; nothing if there is none.
  [[nodiscard]] std::optional<FilesystemReading> load() const;

 private:
  static constexpr std::size_t kWords = 8;
  using Words = std::array<std::atomic<std::int64_t>, kWords>;

  /// Readings so far; the newest is at its remainder by two.
  std::atomic<std::uint64_t> count_{0};
  std::array<Words, 2> places_{};
  std::atomic<bool> valid_{false};
};

}  // namespace evictd::disk
