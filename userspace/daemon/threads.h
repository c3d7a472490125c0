// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "base/loan.h"
#include "base/log.h"
#include "base/timer.h"
#include "config/settings.h"
#include "daemon/hot/hot_priority.h"
#include "daemon/shared/guard_terms.h"
#include "daemon/shared/hot_counters.h"
#include "daemon/shared/messages.h"
#include "evictd/result.h"

namespace evictd::daemon {

class HotLoop;
class Housekeeping;

/// Data shared by the hot thread and housekeeping; it outlives the hot thread.
struct Threads {
  /// Errors: those of creating the two wake-ups.
  [[nodiscard]] static Result<std::unique_ptr<Threads>> create();

  Threads(base::WakeUp to_hot_wake, base::WakeUp to_house_wake);

  /// What the hot thread has of housekeeping. Outlives the messages that carry it.
  base::Lender loans;
  Mailbox<ToHot> to_hot;
  Mailbox<ToHousekeeping> to_house;
  HotCounters counters;
  GuardTermsBoard guard_terms;
  /// Tells the hot thread to end.
  std::atomic<bool> stop{false};
  HotPriority priority;
};

/// Starts the hot thread, runs housekeeping on the calling thread until asked to stop, then ends
/// the hot thread. Errors: those of either.
[[nodiscard]] Result<> run_threads(HotLoop& hot, Housekeeping& house, Threads& threads,
                                   const config::RealtimeSettings& realtime, base::Log& log);

}  // namespace evictd::daemon
