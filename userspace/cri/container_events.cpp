// SPDX-License-Identifier: Apache-2.0
#include "cri/container_events.h"

#include <algorithm>
#include <utility>

#include "runtime.pb.h"
#include "sys/thread_name.h"

namespace evictd::cri {

const char* to_string(EventsState state) {
  switch (state) {
    case EventsState::kOff:
      return "off";
    case EventsState::kWaiting:
      return "waiting";
    case EventsState::kFollowed:
      return "followed";
    case EventsState::kUnimplemented:
      return "unimplemented";
  }
  return "off";
}

ContainerEvents::ContainerEvents(Options options)
    : options_(std::move(options)), channel_(options_.channel) {
  report_.state = EventsState::kWaiting;
  thread_ = std::thread([this] { run(); });
}

ContainerEvents::~ContainerEvents() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  channel_.cancel();
  wake_.notify_all();
  thread_.join();
}

EventsReport ContainerEvents::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void ContainerEvents::on_other_runtime() {
  {
    const std::lock_guard lock(mutex_);
    is_retry_requested_ = true;
  }
  wake_.notify_all();
}

void ContainerEvents::run() {
  sys::name_thread("evictd-events");
  Duration wait = options_.first_wait;
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    is_retry_requested_ = false;
    const std::uint64_t events = report_.counters.events;
    lock.unlock();
    const Result<> end = follow_once();
    lock.lock();
    // A stream that delivered events worked: start again with the shortest wait.
    wait = report_.counters.events != events ? options_.first_wait : wait;
    const bool is_missing = !end && end.error().code == Errc::kUnsupported;
    report_.state = is_missing ? EventsState::kUnimplemented : EventsState::kWaiting;
    report_.problem = end ? "the runtime closed the stream" : end.error().message();
    lock.unlock();
    options_.on_changed();
    lock.lock();
    const auto is_over = [this] { return is_stopping_ || is_retry_requested_; };
    if (is_missing) {
      wake_.wait(lock, is_over);
    } else {
      wake_.wait_for(lock, wait, is_over);
      wait = std::min(wait * 2, options_.longest_wait);
    }
  }
}

Result<> ContainerEvents::follow_once() {
  bool is_malformed = false;
  const Result<> end = channel_.follow(
      {.method = "/runtime.v1.RuntimeService/GetContainerEvents",
       .request = wire::GetEventsRequest().SerializeAsString()},
      [this] {
        {
          const std::lock_guard lock(mutex_);
          ++report_.counters.streams;
          report_.state = EventsState::kFollowed;
          report_.problem.clear();
        }
        options_.on_changed();
        options_.on_event();
      },
      [this, &is_malformed](const std::string& message) {
        if (!wire::ContainerEventResponse().ParseFromString(message)) {
          is_malformed = true;
          return false;
        }
        {
          const std::lock_guard lock(mutex_);
          ++report_.counters.events;
        }
        options_.on_event();
        return true;
      });
  return is_malformed ? fail(Errc::kMalformed, "follow the container runtime: bad event") : end;
}

}  // namespace evictd::cri
