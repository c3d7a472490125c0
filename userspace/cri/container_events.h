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

/// State of the stream of a runtime's events.
enum class EventsState {
  kOff,            ///< Not requested.
  kWaiting,        ///< Not started yet, or broken off and soon restarted.
  kFollowed,       ///< The runtime accepted the request and has not ended the stream.
  kUnimplemented,  ///< The runtime has no such stream. Retried when another runtime answers.
};
[[nodiscard]] const char* to_string(EventsState state);

struct EventsReport {
  EventsState state = EventsState::kOff;
  /// Why the stream is not followed; empty while it is.
  std::string problem;
  struct Counters {
    /// Number of streams started.
    std::uint64_t streams = 0;
    std::uint64_t events = 0;
  } counters;
};

/// Follows a runtime's container events (GetContainerEvents) on its own thread and connection,
/// because such a call blocks forever. An event's contents are not trusted: it only triggers a new
/// list.
/// Thread rule: any thread may call every member.
class ContainerEvents {
 public:
  struct Options {
    Channel::Options channel;
    Duration first_wait = std::chrono::milliseconds(500);
    Duration longest_wait = std::chrono::seconds(30);
    /// Called by the thread when an event came, or may have been missed while no stream was open.
    std::function<void()> on_event;
    /// Called by the thread when the report changed.
    std::function<void()> on_changed;
  };

  explicit ContainerEvents(Options options);
  ContainerEvents(const ContainerEvents&) = delete;
  ContainerEvents& operator=(const ContainerEvents&) = delete;
  /// Cancels the call in progress.
  ~ContainerEvents();

  [[nodiscard]] EventsReport report() const;
  /// Another runtime answers at the socket now: it may support what the previous one did not.
  void on_other_runtime();

 private:
  void run();
  [[nodiscard]] Result<> follow_once();

  Options options_;
  Channel channel_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  /// The mutex guards the following members.
  EventsReport report_;
  bool is_retry_requested_ = false;
  bool is_stopping_ = false;
  /// Last: the thread uses all other members.
  std::thread thread_;
};

}  // namespace evictd::cri
