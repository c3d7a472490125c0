// SPDX-License-Identifier: Apache-2.0
#include "harness/busy_loops.h"

#include "evictd/try.h"

namespace evictd::bench {

Result<ForkedProcesses> start_busy_loops(int count) {
  ForkedProcesses loops;
  for (int i = 0; i < count; ++i) {
    EVICTD_TRY(loops.add("a busy loop", [] {
      for (volatile unsigned turns = 0;;) {
        turns = turns + 1;
      }
    }));
  }
  return loops;
}

}  // namespace evictd::bench
