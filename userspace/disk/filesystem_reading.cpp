// SPDX-License-Identifier: Apache-2.0
#include "disk/filesystem_reading.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <chrono>

namespace evictd::disk {

Result<FilesystemReading> read_filesystem(const std::string& path, MonoTime now) {
  struct statvfs answer {};
  if (::statvfs(path.c_str(), &answer) != 0) {
    return fail_errno(errno, "statfs " + path);
  }
  const auto bytes = [&](fsblkcnt_t blocks) {
    return static_cast<std::int64_t>(blocks * answer.f_frsize);
  };
  return FilesystemReading{.available_bytes = bytes(answer.f_bavail),
                           .capacity_bytes = bytes(answer.f_blocks),
                           .inodes_free = static_cast<std::int64_t>(answer.f_ffree),
                           .inodes = static_cast<std::int64_t>(answer.f_files),
                           .bytes_per_second = 0,
                           .inodes_per_second = 0,
                           .asked_at = now,
                           .read_at = now};
}

std::optional<MonoTime> full_at(const FilesystemReading& reading, bool inodes) {
  const std::int64_t rate = inodes ? reading.inodes_per_second : reading.bytes_per_second;
  const std::int64_t left = inodes ? reading.inodes_free : reading.available_bytes;
  if (rate <= 0) {
    return std::nullopt;
  }
  // More than a day counts as never, and might overflow in nanoseconds.
  constexpr std::chrono::duration<double> kNever = std::chrono::hours(24);
  const std::chrono::duration<double> time{static_cast<double>(left) / static_cast<double>(rate)};
  return time < kNever ? std::optional(reading.read_at + std::chrono::duration_cast<Duration>(time))
                       : std::nullopt;
}

void ReadingCell::store(const FilesystemReading& reading) {
  const std::array<std::int64_t, kWords> numbers{reading.available_bytes,
                                                 reading.capacity_bytes,
                                                 reading.inodes_free,
                                                 reading.inodes,
                                                 reading.read_at.time_since_epoch().count(),
                                                 reading.asked_at.time_since_epoch().count(),
                                                 reading.bytes_per_second,
                                                 reading.inodes_per_second};
  const std::uint64_t next = count_.load(std::memory_order_relaxed) + 1;
  // A reader that still reads this place and gets one of these numbers must then see a newer count.
  // Not with a fence, which ThreadSanitizer does not support.
  for (std::size_t i = 0; i < kWords; ++i) {
    places_[next % 2][i].store(numbers[i], std::memory_order_release);
  }
  count_.store(next, std::memory_order_release);
  valid_.store(true, std::memory_order_release);
}

std::optional<FilesystemReading> ReadingCell::load() const {
  while (valid_.load(std::memory_order_acquire)) {
    const std::uint64_t seen = count_.load(std::memory_order_acquire);
    std::array<std::int64_t, kWords> numbers{};
    for (std::size_t i = 0; i < kWords; ++i) {
      numbers[i] = places_[seen % 2][i].load(std::memory_order_acquire);
    }
    if (count_.load(std::memory_order_relaxed) == seen) {
      return FilesystemReading{.available_bytes = numbers[0],
                               .capacity_bytes = numbers[1],
                               .inodes_free = numbers[2],
                               .inodes = numbers[3],
                               .bytes_per_second = numbers[6],
                               .inodes_per_second = numbers[7],
                               .asked_at = MonoTime(Duration(numbers[5])),
                               .read_at = MonoTime(Duration(numbers[4]))};
    }
  }
  return std::nullopt;
}

}  // namespace evictd::disk
