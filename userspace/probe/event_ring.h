// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"
#include "probe/counters.h"
#include "probe/events.h"

namespace evictd::probe {

/// What the kernel side has to tell, as the hot thread takes it: no allocation, no file is opened,
/// no lock is held.
class EventRing {
 public:
  EventRing() = default;
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;
  virtual ~EventRing() = default;

  /// Readable (EPOLLIN) while records wait. Owned by the ring.
  [[nodiscard]] virtual int event_fd() const = 0;
  /// Decodes all waiting records into `sink`.
  virtual Drained drain(EventSink& sink) = 0;
  /// Reports the level of every threshold again (above: kUp; below: kDown), for after a loss. Also
  /// refreshes.
  [[nodiscard]] virtual Result<> resync() = 0;
};

}  // namespace evictd::probe
