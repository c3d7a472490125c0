// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "notify/terms.h"

namespace evictd::notify {

/// Receives PRESSURE and OOM events.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Each of `ids` is due one more signal; an id may occur several times.
  virtual void on_events(std::span<const RegistrationId> ids) = 0;
};

}  // namespace evictd::notify
