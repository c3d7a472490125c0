// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/event_text.h"
#include "evictd/time.h"

namespace evictd::cli::top {

/// One line of the journal as the screen shows it.
struct EventLine {
  /// Of the day, as the line has it: "12:03:55.123".
  std::string time{};
  std::string kind{};
  std::string words{};
  /// Of the pod that it is about; empty without one.
  std::string pod_uid{};
};

[[nodiscard]] EventLine read_event(const nlohmann::ordered_json& line);

/// The last events, oldest first. While it is paused new ones are kept apart.
class EventList {
 public:
  /// `since` is the time from which the journal is asked for, as for Repetitions.
  explicit EventList(WallTime since) : repetitions_(since) {}

  /// Takes what comes next; what tells nothing new is left out. Cost: memory for as many as are
  /// kept, and for the id of each decision.
  void take(const nlohmann::ordered_json& line);
  void pause() { paused_ = true; }
  /// What came meanwhile is shown.
  void resume();

  [[nodiscard]] const std::deque<EventLine>& shown() const { return shown_; }
  /// How many came while it is paused.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  Repetitions repetitions_;
  std::deque<EventLine> shown_{};
  std::deque<EventLine> waiting_{};
  bool paused_ = false;
};

}  // namespace evictd::cli::top
