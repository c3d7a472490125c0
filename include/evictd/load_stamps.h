// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

/// The stamp file of `evict-load`: a header, then a ring of fixed-size entries. The writer maps it
/// shared: readers follow it live, and it survives a SIGKILL of the writer. Numbers are in the
/// machine's byte order; times are CLOCK_MONOTONIC nanoseconds.
namespace evictd::load {

/// First eight bytes of the file, "EVLOAD01" on a little-endian machine.
inline constexpr std::uint64_t kStampMagic = 0x3130'4441'4F4C'5645;
inline constexpr std::uint32_t kStampVersion = 1;

/// Unit of LoadStamp::total.
enum class LoadKind : std::uint32_t {
  kMemory = 1,     ///< Bytes touched.
  kForks = 2,      ///< Children alive.
  kFileBytes = 3,  ///< Bytes written to files.
  kInodes = 4,     ///< Files created.
};

/// State of the run. Only increases.
enum class LoadState : std::uint32_t {
  kWaiting = 1,   ///< Prepared; waits for the start signal.
  kRunning = 2,   ///< Works; writes one entry per batch.
  kHolding = 3,   ///< Reached its cap and holds what it allocated.
  kFinished = 4,  ///< Exited by itself.
};

/// At offset 0. The writer fills in every field, `magic` last. Afterwards it changes only `state`,
/// `started_ns`, `count`, `refused` and `refused_untold`, each with release order. Readers load
/// these with acquire order.
struct LoadStampHeader {
  std::uint64_t magic = kStampMagic;
  std::uint32_t version = kStampVersion;
  /// Offset of the first entry.
  std::uint32_t header_bytes = 0;
  /// The working process, in the writer's pid namespace.
  std::int64_t pid = 0;
  std::uint32_t kind = 0;   ///< LoadKind.
  std::uint32_t state = 0;  ///< LoadState.
  /// Units of `total` that one batch adds.
  std::uint64_t batch = 0;
  /// Requested page size in bytes (4 KiB or the huge page size); 0 for a load without pages.
  std::uint64_t page_bytes = 0;
  /// Capacity of the ring, in entries.
  std::uint64_t capacity = 0;
  /// Start of the first batch; 0 before it.
  std::uint64_t started_ns = 0;
  /// Entries written so far. Entry n is at index n % capacity: the last `capacity` are kept.
  std::uint64_t count = 0;
  /// Attempts that failed because of a limit or a full resource: a fork refused with EAGAIN, a full
  /// file system. The load retries each.
  std::uint64_t refused = 0;
  /// Refused attempts before any SIGTERM arrived; 0 if the load does not ignore SIGTERM.
  std::uint64_t refused_untold = 0;
  std::uint64_t reserved[5] = {};
};
static_assert(sizeof(LoadStampHeader) == 128 && std::is_trivially_copyable_v<LoadStampHeader>);

/// One batch of work.
struct LoadStamp {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  /// Units done since the start, this batch included.
  std::uint64_t total = 0;
  /// Content of the --usage-file, read right after `end_ns`: the usage of the watched cgroup as
  /// another process sees it. -1 without the option.
  std::int64_t usage = -1;
};
static_assert(sizeof(LoadStamp) == 32 && std::is_trivially_copyable_v<LoadStamp>);

}  // namespace evictd::load
