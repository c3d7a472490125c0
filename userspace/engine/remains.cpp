// SPDX-License-Identifier: Apache-2.0
#include "engine/remains.h"

#include <algorithm>

namespace evictd::engine {

namespace {

/// What it may be charged with more without a process: what others still send to its sockets.
constexpr Bytes kGained = 1_MiB;

}  // namespace

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

}  // namespace evictd::engine
