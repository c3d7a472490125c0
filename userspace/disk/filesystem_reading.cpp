// SPDX-License-Identifier: Apache-2.0
#include "disk/filesystem_reading.h"

#include <sys/statvfs.h>

#include <cerrno>

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
                           .asked_at = now,
                           .read_at = now};
}

void ReadingCell::store(const FilesystemReading& reading) {
  const std::array<std::int64_t, kWords> numbers{reading.available_bytes,
                                                 reading.capacity_bytes,
                                                 reading.inodes_free,
                                                 reading.inodes,
                                                 reading.read_at.time_since_epoch().count(),
                                                 reading.asked_at.time_since_epoch().count()};
  const std::uint64_t next = count_.load(std::memory_order_relaxed) + 1;
  // Whoever still reads this place must find that the count has moved on.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < kWords; ++i) {
    places_[next % 2][i].store(numbers[i], std::memory_order_relaxed);
  }
  count_.store(next, std::memory_order_release);
  valid_.store(true, std::memory_order_release);
}

std::optional<FilesystemReading> ReadingCell::load() const {
  while (valid_.load(std::memory_order_acquire)) {
    const std::uint64_t seen = count_.load(std::memory_order_acquire);
    std::array<std::int64_t, kWords> numbers{};
    for (std::size_t i = 0; i < kWords; ++i) {
      numbers[i] = places_[seen % 2][i].load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (count_.load(std::memory_order_relaxed) == seen) {
      return FilesystemReading{.available_bytes = numbers[0],
                               .capacity_bytes = numbers[1],
                               .inodes_free = numbers[2],
                               .inodes = numbers[3],
                               .asked_at = MonoTime(Duration(numbers[5])),
                               .read_at = MonoTime(Duration(numbers[4]))};
    }
  }
  return std::nullopt;
}

}  // namespace evictd::disk
