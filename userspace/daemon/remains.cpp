// SPDX-License-Identifier: Apache-2.0
#include "daemon/remains.h"

#include <unistd.h>

#include <algorithm>

namespace evictd::daemon {

namespace {

/// What it may be charged with more without a process: what others still send to its sockets.
constexpr Bytes kGained = 1_MiB;

constexpr Bytes kOfItself = 1_MiB;
/// Pages that the kernel charges to a cgroup ahead on each CPU (MEMCG_CHARGE_BATCH).
constexpr std::int64_t kAheadPages = 64;

}  // namespace

Bytes least_left_behind() {
  static const Bytes kLeast =
      kOfItself +
      Bytes{kAheadPages * std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)) * ::sysconf(_SC_PAGESIZE)};
  return kLeast;
}

Remains Remains::without_tasks() {
  Remains none;
  none.tasks_ = 0;
  return none;
}

void Remains::note(const CgroupUsage& left) {
  if (left.tasks >= 0) {
    tasks_ = left.tasks;
  }
  if (left.has_memory()) {
    usage_ = left.usage;
  }
}

bool Remains::outgrown_by(const CgroupUsage& now) {
  bool grown = false;
  if (now.tasks >= 0) {
    const std::int64_t least = tasks_.value_or(now.tasks);
    grown = now.tasks > least;
    tasks_ = std::min(least, now.tasks);
  }
  if (now.has_memory()) {
    const Bytes least = usage_.value_or(now.usage);
    grown = grown || now.usage > least + kGained;
    usage_ = std::min(least, now.usage);
  }
  return grown;
}

}  // namespace evictd::daemon
