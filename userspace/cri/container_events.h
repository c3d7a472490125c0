// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cri/channel.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cri {

/// What becomes of the stream of a runtime's events.
enum class EventsState {
  kOff,            ///< Nobody asked for it.
  kWaiting,        ///< It has not begun, or was broken off and is begun again soon.
  kFollowed,       ///< The runtime was asked, and has not ended it.
  kUnimplemented,  ///< The runtime has no such stream. Asked again once it is another runtime.
};
[[nodiscard]] const char* to_string(EventsState state);

struct EventsReport {
  EventsState state = EventsState::kOff;
  /// Why it is not followed; empty while it is.
  std::string problem;
  struct Counters {
    /// Begun so far.
    std::uint64_t streams = 0;
    std::uint64_t events = 0;
  } counters;
};

/// Follows the events of a runtime's containers (GetContainerEvents) on a thread and a connection
/// of its own, because such a call waits for ever. What an event says is not believed: it only says
/// that it is time to list anew.
/// Thread rule: every member may be called by any thread.
class ContainerEvents {
 public:
  struct Options {
    Channel::Options channel;
    Duration first_wait = std::chrono::milliseconds(500);
    Duration longest_wait = std::chrono::seconds(30);
    /// Something came, or may have come while nobody listened. Called by the thread.
    std::function<void()> on_event;
    /// The report is another. Called by the thread.
    std::function<void()> on_changed;
  };

  explicit ContainerEvents(Options options);
  ContainerEvents(const ContainerEvents&) = delete;
  ContainerEvents& operator=(const ContainerEvents&) = delete;
  /// Breaks off what is under way.
  ~ContainerEvents();

  [[nodiscard]] EventsReport report() const;
  /// Another runtime answers at the socket than before: it may have what the other had not.
  void on_other_runtime();

 private:
  void run();
  [[nodiscard]] Result<> follow_once();

  Options options_;
  Channel channel_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  /// The following are guarded by the mutex.
  EventsReport report_;
  bool is_asked_again_ = false;
  bool is_stopping_ = false;
  /// Last, so that it finds the others made.
  std::thread thread_;
};

}  // namespace evictd::cri
