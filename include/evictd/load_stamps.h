// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

/// The file in which `evict-load` stamps what it does: a header, then a ring of fixed-size entries.
/// It is mapped shared by the writer, so readers follow it live and it survives a SIGKILL of the
/// writer. All numbers are in the machine's own byte order; times are CLOCK_MONOTONIC nanoseconds.
namespace evictd::load {

/// First eight bytes of the file, "EVLOAD01" on a little-endian machine.
inline constexpr std::uint64_t kStampMagic = 0x3130'4441'4F4C'5645;
inline constexpr std::uint32_t kStampVersion = 1;

/// What is counted in LoadStamp::total.
enum class LoadKind : std::uint32_t {
  kMemory = 1,     ///< Bytes touched.
  kForks = 2,      ///< Children alive.
  kFileBytes = 3,  ///< Bytes written to files.
  kInodes = 4,     ///< Files made.
};

/// Where the run is. Grows only.
enum class LoadState : std::uint32_t {
  kWaiting = 1,   ///< Everything is prepared; waits for the signal to go.
  kRunning = 2,   ///< Works; every batch gets an entry.
  kHolding = 3,   ///< Reached its cap and keeps what it has.
  kFinished = 4,  ///< Ended by itself.
};

/// At offset 0. The writer fills everything in and `magic` last, then changes only `state`,
/// `started_ns`, `count`, `refused` and `refused_untold`; each of these with release order, so a
/// reader loads them with acquire.
struct LoadStampHeader {
  std::uint64_t magic = kStampMagic;
  std::uint32_t version = kStampVersion;
  /// Offset of the first entry.
  std::uint32_t header_bytes = 0;
  /// The process that works, in the writer's own pid namespace.
  std::int64_t pid = 0;
  std::uint32_t kind = 0;   ///< LoadKind.
  std::uint32_t state = 0;  ///< LoadState.
  /// Units of `total` that one batch adds.
  std::uint64_t batch = 0;
  /// Bytes of one page as it was asked for (4 KiB or the huge page size); 0 if pages play no part.
  std::uint64_t page_bytes = 0;
  /// Entries that the ring holds.
  std::uint64_t capacity = 0;
  /// When the first batch began; 0 before.
  std::uint64_t started_ns = 0;
  /// Entries written so far; entry n is at index n % capacity, so the last `capacity` are there.
  std::uint64_t count = 0;
  /// Attempts at which nothing was possible, because of a limit or for want of room: a fork that
  /// the kernel refused with EAGAIN, a full file system. Each is tried again.
  std::uint64_t refused = 0;
  /// Of these, those at which no SIGTERM had come yet; 0 of a load that does not ignore SIGTERM.
  std::uint64_t refused_untold = 0;
  std::uint64_t reserved[5] = {};
};
static_assert(sizeof(LoadStampHeader) == 128 && std::is_trivially_copyable_v<LoadStampHeader>);

/// One batch of work.
struct LoadStamp {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  /// Everything done since the start, this batch included.
  std::uint64_t total = 0;
  /// The number in the file given with --usage-file, read right after `end_ns`: the usage of the
  /// cgroup under watch as an outsider sees it at this batch end. -1 without the option.
  std::int64_t usage = -1;
};
static_assert(sizeof(LoadStamp) == 32 && std::is_trivially_copyable_v<LoadStamp>);

}  // namespace evictd::load
