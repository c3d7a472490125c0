// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "daemon/shared/messages.h"

namespace evictd::daemon {

/// Messages to the hot thread, in order; those that its queue does not take yet wait here. Thread
/// rule: housekeeping only.
class Backlog {
 public:
  explicit Backlog(Mailbox<ToHot>& to_hot) : to_hot_(to_hot) {}

  void send(ToHot&& message) {
    // Always after the messages already waiting, because order matters.
    waiting_.push_back(std::move(message));
    flush();
  }
  void flush() {
    std::size_t sent = 0;
    while (sent < waiting_.size() && to_hot_.queue.push(std::move(waiting_[sent]))) {
      ++sent;
    }
    if (sent != 0) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(sent));
      to_hot_.wake_up.signal();
    }
  }

 private:
  Mailbox<ToHot>& to_hot_;
  std::vector<ToHot> waiting_;
};

}  // namespace evictd::daemon
