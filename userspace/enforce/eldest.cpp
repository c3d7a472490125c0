// SPDX-License-Identifier: Apache-2.0
#include "enforce/eldest.h"

#include "sys/parent_process.h"

namespace evictd::enforce {

namespace {

constexpr int kMostGenerations = 16;

}  // namespace

pid_t eldest_of(pid_t pid, const ProcessList& list) {
  for (int i = 0; i < kMostGenerations; ++i) {
    const sys::CallResult<pid_t> parent = sys::parent_process(pid);
    if (!parent || !list.contains(*parent)) {
      return pid;
    }
    pid = *parent;
  }
  return pid;
}

}  // namespace evictd::enforce
