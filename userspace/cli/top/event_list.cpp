// SPDX-License-Identifier: Apache-2.0
#include "cli/top/event_list.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"

namespace evictd::cli::top {

namespace {

using base::text_at;
using Json = nlohmann::ordered_json;

/// More lines than a screen has; `evictctl events` shows the rest.
constexpr std::size_t kMostEvents = 500;
/// Offsets in an RFC 3339 time: start of the time of day, and end of its milliseconds.
constexpr std::size_t kTimeOfDay = 11;
constexpr std::size_t kTimeOfDayLength = 12;

void add(std::deque<EventLine>& events, EventLine&& event) {
  events.push_back(std::move(event));
  if (events.size() > kMostEvents) {
    events.pop_front();
  }
}

}  // namespace

EventLine read_event(const Json& line) {
  const std::string time = text_at(line, "time");
  return {.time = time.size() > kTimeOfDay ? time.substr(kTimeOfDay, kTimeOfDayLength) : time,
          .kind = text_at(line, "kind"),
          .words = event_words(line),
          .pod_uid = text_at(line, "uid")};
}

void EventList::take(const Json& line) {
  if (repetitions_.take(line)) {
    return;
  }
  add(paused_ ? waiting_ : shown_, read_event(line));
}

void EventList::resume() {
  paused_ = false;
  for (EventLine& event : waiting_) {
    add(shown_, std::move(event));
  }
  waiting_.clear();
}

}  // namespace evictd::cli::top
