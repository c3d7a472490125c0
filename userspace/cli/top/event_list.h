// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/event_text.h"
#include "evictd/time.h"

namespace evictd::cli::top {

/// One line of the journal as shown on the screen.
struct EventLine {
  /// Time of the day, as in the line: "12:03:55.123".
  std::string time{};
  std::string kind{};
  std::string words{};
  /// Uid of the pod concerned; empty without one.
  std::string pod_uid{};
};

[[nodiscard]] EventLine read_event(const nlohmann::ordered_json& line);

/// The last events, oldest first. While it is paused, new ones are kept separately.
class EventList {
 public:
  /// `since` is the start of the requested journal, as for Repetitions.
  explicit EventList(WallTime since) : repetitions_(since) {}

  /// Adds the next line; omits lines that add nothing new. Cost: memory for the lines kept, and for
  /// the id of each decision.
  void take(const nlohmann::ordered_json& line);
  void pause() { paused_ = true; }
  /// Shows the lines that arrived during the pause.
  void resume();

  [[nodiscard]] const std::deque<EventLine>& shown() const { return shown_; }
  /// Number of lines that arrived during the pause.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  Repetitions repetitions_;
  std::deque<EventLine> shown_{};
  std::deque<EventLine> waiting_{};
  bool paused_ = false;
};

}  // namespace evictd::cli::top
