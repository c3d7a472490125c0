// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace evictd::base {

/// Points between the steps of an eviction and of state keeping, in execution order. A test makes
/// evictd die at each of them and checks what the next evictd does.
#define EVICTD_FAULT_POINTS(X)                                           \
  X(kDecided, "decided")              /* a victim is chosen */           \
  X(kIntended, "intended")            /* its cgroup says so */           \
  X(kForksStopped, "forks-stopped")   /* v1: it can fork no more */      \
  X(kSignalled, "signalled")          /* SIGTERM or SIGKILL is out */    \
  X(kReported, "reported")            /* housekeeping was told */        \
  X(kGraceOver, "grace-over")         /* SIGKILL is due */               \
  X(kGraceKilled, "grace-killed")     /* and is out */                   \
  X(kReleased, "released")            /* nobody is left in it */         \
  X(kIntentCleared, "intent-cleared") /* its cgroup says no more */      \
  X(kStateComposed, "state-composed") /* there is something to write */  \
  X(kStateCreated, "state-created")   /* an empty file beside the old */ \
  X(kStateHalf, "state-half")         /* half of it is written */        \
  X(kStateWritten, "state-written")   /* all of it */                    \
  X(kStateSynced, "state-synced")     /* on the disk */                  \
  X(kStateRenamed, "state-renamed")   /* in the place of the old */      \
  X(kStateDurable, "state-durable")   /* for good */                     \
  X(kStateRead, "state-read")         /* after a restart */              \
  X(kAdopted, "adopted")              /* an eviction was taken over */

/// The same for what evictd-kube does at the API server.
#define EVICTD_KUBE_FAULT_POINTS(X)                                              \
  X(kLineTaken, "line-taken")         /* a line calls for something */           \
  X(kEntryHalf, "entry-half")         /* half of what it calls for is written */ \
  X(kEntryWritten, "entry-written")   /* all of it */                            \
  X(kEntrySynced, "entry-synced")     /* on the disk */                          \
  X(kAsked, "asked")                  /* a request is begun */                   \
  X(kAnswered, "answered")            /* and answered */                         \
  X(kDoneNoted, "done-noted")         /* and the file says so */                 \
  X(kQueueHalf, "queue-half")         /* half of another file is written */      \
  X(kQueueSynced, "queue-synced")     /* all of it, on the disk */               \
  X(kQueueReplaced, "queue-replaced") /* in the place of the old */

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
