// SPDX-License-Identifier: Apache-2.0
#include "web/event_buffer.h"

#include <utility>

namespace evictd::web {

void EventBuffer::add(std::uint64_t seq, std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (seq <= newest_) {
      return;
    }
    newest_ = seq;
    bytes_ += line.size();
    events_.push_back({.seq = seq, .line = std::move(line)});
    while (events_.size() > 1 && (events_.size() > most_lines_ || bytes_ > most_bytes_)) {
      forgotten_ = events_.front().seq;
      bytes_ -= events_.front().line.size();
      events_.pop_front();
    }
  }
  changed_.notify_all();
}

void EventBuffer::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

std::uint64_t EventBuffer::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

bool EventBuffer::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

EventBuffer::Events EventBuffer::beyond(std::uint64_t seq) const {
  const std::lock_guard lock(mutex_);
  return collect(seq);
}

EventBuffer::Events EventBuffer::wait_beyond(std::uint64_t seq, Duration patience) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return closed_ || newest_ > seq; });
  return closed_ ? Events{} : collect(seq);
}

EventBuffer::Events EventBuffer::collect(std::uint64_t seq) const {
  Events found;
  found.skipped = seq != 0 && seq < forgotten_;
  for (const Event& event : events_) {
    if (event.seq > seq) {
      found.events.push_back(event);
    }
  }
  return found;
}

}  // namespace evictd::web
