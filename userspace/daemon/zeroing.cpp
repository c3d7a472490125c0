// SPDX-License-Identifier: Apache-2.0
#include "daemon/zeroing.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace evictd::daemon {

namespace {

/// Larger than a second-level cache.
constexpr Bytes kArea = 16_MiB;
constexpr int kRuns = 3;

}  // namespace

Bytes measure_zeroing(const core::Clock& clock) {
  const auto length = static_cast<std::size_t>(kArea.value);
  void* const area = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (area == MAP_FAILED) {
    return Bytes{0};
  }
  Duration best = Duration::max();
  for (int run = 0; run < kRuns; ++run) {
    const Duration begun = clock.thread_cpu();
    ::explicit_bzero(area, length);
    best = std::min(best, clock.thread_cpu() - begun);
  }
  ::munmap(area, length);
  const double seconds = std::chrono::duration<double>(std::max(best, Duration(1))).count();
  return Bytes{static_cast<std::int64_t>(static_cast<double>(kArea.value) / seconds)};
}

}  // namespace evictd::daemon
