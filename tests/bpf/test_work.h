// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace evictd::test {

/// What a child is told to do.
enum class Work : std::uint32_t {
  kTouch4K,       ///< map `amount` bytes of 4 KiB pages and write each page
  kTouchHuge,     ///< the same with transparent huge pages
  kTouchShared,   ///< the same in a memfd
  kWriteFile,     ///< write `amount` bytes to an unlinked file on a disk file system
  kSyncFiles,     ///< wait until the disk has all files that were written: their pages are clean
  kReadTwice,     ///< read all files that were written, twice: their pages become active
  kRelease,       ///< unmap and close everything
  kFork,          ///< start `amount` children that wait
  kForkAndTouch,  ///< the same, each of which has written kSmallProcess bytes, all at the same time
  kEndForks,      ///< kill and reap them, all at the same time
  kVforkAndTouch,  ///< as kTouch4K, by a child of vfork(2): the memory stays with the parent
};

/// What a process of Work::kForkAndTouch holds, beside what a process is made of.
inline constexpr std::uint64_t kSmallProcess = 1 << 20;

/// One message of TestChild to its process.
struct Order {
  Work work{};
  std::uint64_t amount = 0;
};

}  // namespace evictd::test
