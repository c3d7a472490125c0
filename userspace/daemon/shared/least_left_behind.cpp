// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/least_left_behind.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace evictd::daemon {

namespace {

constexpr Bytes kOfItself = 1_MiB;
/// Pages that the kernel charges to a cgroup in advance on each CPU (MEMCG_CHARGE_BATCH).
constexpr std::int64_t kAheadPages = 64;

}  // namespace

Bytes least_left_behind() {
  static const Bytes kLeast =
      kOfItself +
      Bytes{kAheadPages * std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)) * ::sysconf(_SC_PAGESIZE)};
  return kLeast;
}

}  // namespace evictd::daemon
