// SPDX-License-Identifier: Apache-2.0
#include "demo/crossing.h"

#include <unistd.h>

#include <algorithm>

#include "load/stamp_log.h"

namespace evictd::demo {
namespace {

constexpr std::int64_t kChargedAheadPages = 64;
constexpr std::int64_t kCpusOfABatch = 2;

}  // namespace

Bytes charged_ahead() {
  return Bytes{kCpusOfABatch * kChargedAheadPages * ::sysconf(_SC_PAGESIZE)};
}

std::optional<MonoTime> crossing_of(const SeenOfHog& seen) {
  if (seen.first_past) {
    return load::to_mono_time(seen.first_past->end_ns);
  }
  if (!seen.last) {
    return std::nullopt;
  }
  const bool is_witnessed = seen.witnessed > seen.threshold;
  const bool is_within_reach = seen.last->usage + seen.reach > seen.threshold;
  return is_witnessed || is_within_reach ? std::optional(load::to_mono_time(seen.last->end_ns))
                                         : std::nullopt;
}

std::int64_t short_of(std::int64_t threshold, std::int64_t most) {
  return std::max<std::int64_t>(0, threshold - most);
}

}  // namespace evictd::demo
