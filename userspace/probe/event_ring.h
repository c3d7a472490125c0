// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "probe/counters.h"
#include "probe/events.h"

namespace evictd::probe {

/// The kernel side's events, for the hot thread: no call allocates, opens a file or holds a lock.
class EventRing {
 public:
  EventRing() = default;
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;
  virtual ~EventRing() = default;

  /// Readable (EPOLLIN) while records are pending. Owned by the ring.
  [[nodiscard]] virtual int event_fd() const = 0;
  /// Decodes all pending records into `sink`.
  virtual Drained drain(EventSink& sink) = 0;
  /// Reports the state of every threshold again (above: kUp; below: kDown) after a loss. Also
  /// refreshes the values.
  [[nodiscard]] virtual Result<> resync() = 0;
};

}  // namespace evictd::probe
