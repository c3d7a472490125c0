// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace evictd::base {

/// Points between the steps of an eviction and of state keeping, in execution order. A test makes
/// evictd die at each of them and checks what the next evictd does.
#define EVICTD_FAULT_POINTS(X)                                          \
  X(kDecided, "decided")              /* a victim is chosen */          \
  X(kIntended, "intended")            /* its cgroup is marked */        \
  X(kForksStopped, "forks-stopped")   /* v1: it can no longer fork */   \
  X(kSignalled, "signalled")          /* SIGTERM or SIGKILL is sent */  \
  X(kReported, "reported")            /* housekeeping is informed */    \
  X(kGraceOver, "grace-over")         /* SIGKILL is due */              \
  X(kGraceKilled, "grace-killed")     /* SIGKILL is sent */             \
  X(kReleased, "released")            /* all its processes are gone */  \
  X(kIntentCleared, "intent-cleared") /* the mark is removed */         \
  X(kStateComposed, "state-composed") /* new state is ready to write */ \
  X(kStateCreated, "state-created")   /* the new file exists, empty */  \
  X(kStateHalf, "state-half")         /* half of it is written */       \
  X(kStateWritten, "state-written")   /* all of it is written */        \
  X(kStateSynced, "state-synced")     /* it is synced to the disk */    \
  X(kStateRenamed, "state-renamed")   /* it has replaced the old one */ \
  X(kStateDurable, "state-durable")   /* the rename is synced */        \
  X(kStateRead, "state-read")         /* state is read at a restart */  \
  X(kAdopted, "adopted")              /* an eviction is taken over */

/// The same for what evictd-kube does at the API server.
#define EVICTD_KUBE_FAULT_POINTS(X)                                         \
  X(kLineTaken, "line-taken")         /* a line requires an action */       \
  X(kEntryHalf, "entry-half")         /* half of its entry is written */    \
  X(kEntryWritten, "entry-written")   /* all of it is written */            \
  X(kEntrySynced, "entry-synced")     /* it is synced to the disk */        \
  X(kAsked, "asked")                  /* a request is sent */               \
  X(kAnswered, "answered")            /* the answer has arrived */          \
  X(kDoneNoted, "done-noted")         /* the file records the result */     \
  X(kQueueHalf, "queue-half")         /* half of the new file is written */ \
  X(kQueueSynced, "queue-synced")     /* it is synced to the disk */        \
  X(kQueueReplaced, "queue-replaced") /* it has replaced the old one */

enum class FaultPoint : std::uint8_t {
  kNone,
#define EVICTD_FAULT_POINT_ENUMERATOR(enumerator, name) enumerator,
  EVICTD_FAULT_POINTS(EVICTD_FAULT_POINT_ENUMERATOR)
      EVICTD_KUBE_FAULT_POINTS(EVICTD_FAULT_POINT_ENUMERATOR)
#undef EVICTD_FAULT_POINT_ENUMERATOR
};

/// "decided" and so on; "" for kNone.
[[nodiscard]] std::string_view to_string(FaultPoint point);

/// The point to die at, read at start from the environment variable EVICTD_FAULT_POINT. The value
/// is a name, or a name, a colon and a count from 1: the process dies the n-th time it reaches the
/// point. kNone without the variable.
extern const FaultPoint kArmedFaultPoint;

/// Kills this process with SIGKILL once the armed point was reached the configured number of times.
void reach_armed_fault_point();

/// Cost if nothing is armed: one comparison with a constant in the cache.
inline void fault_point(FaultPoint point) {
  if (point == kArmedFaultPoint) [[unlikely]] {
    reach_armed_fault_point();
  }
}

}  // namespace evictd::base
