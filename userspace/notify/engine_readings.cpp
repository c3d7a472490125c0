// SPDX-License-Identifier: Apache-2.0
// Values that the backend lags behind with: it gives hints, and the cgroup's files decide.
#include <algorithm>
#include <vector>

#include "evictd/try.h"
#include "notify/engine.h"

namespace evictd::notify {

Result<> Engine::open_files(const LevelKey& key, Group& group, RowId row) {
  if (group.files || !backend_->is_behind(row)) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(group.files, LevelFiles::open(key, group.directory.get()));
  ++readings_.values;
  const MonoTime first = clock_.now() + ReadingPace::kPeriod;
  if (readings_.due == MonoTime{} || first < readings_.due) {
    arm_reading(first);
  }
  return {};
}

void Engine::read_files_on_hint(Group& group, const RowMove& move) {
  const MonoTime now = clock_.now();
  // The backend's position returns to the known one after a wrong excursion: nothing to read.
  const bool says_nothing = move.position == group.levels.position();
  if (move.gap) {
    read_files(group, true);
  } else if (!says_nothing && readings_.pace.may_follow(group.hints, now, readings_.values)) {
    read_files(group, false);
    readings_.pace.follow(group.hints, group.reading_cost);
  }
}

Result<LevelReading> Engine::read_level(Group& group) {
  const Duration before = clock_.thread_cpu();
  Result<LevelReading> reading = group.files->read(clock_.now());
  group.reading_cost = clock_.thread_cpu() - before;
  return reading;
}

void Engine::read_files(Group& group, bool gap) {
  // Fails if the cgroup was removed, which the backend reports.
  const Result<LevelReading> reading = read_level(group);
  if (reading) {
    group.value = reading->value;
  }
  if (reading || gap) {
    advance(group, reading ? group.levels.position_of(reading->level) : group.levels.position(),
            gap);
  }
}

RowBegin Engine::settle_begin(Group& group, RowBegin begin) {
  if (!group.files || !group.next) {
    return begin;
  }
  const Result<LevelReading> reading = read_level(group);
  if (!reading) {
    return begin;
  }
  // One reading ends the old levels and begins the new ones, so no crossing is lost in between.
  if (group.live) {
    advance(group, group.levels.position_of(reading->level), false);
  }
  begin.position = group.next->position_of(reading->level);
  begin.value = reading->value;
  return begin;
}

void Engine::read_some() {
  reading_timer_.consume();
  readings_.due = {};
  GroupList cheap;
  GroupList dear;
  for (auto& group : groups_) {
    if (group.second.files) {
      (ReadingPace::is_dear(group.second.reading_cost) ? dear : cheap).push_back(&group);
    }
  }
  readings_.values = cheap.size() + dear.size();
  read_turn(readings_.cheap, cheap);
  read_turn(readings_.dear, dear);
  if (readings_.values != 0) {
    arm_reading(dear.empty() || (!cheap.empty() && readings_.cheap.next < readings_.dear.next)
                    ? readings_.cheap.next
                    : readings_.dear.next);
  }
}

void Engine::read_turn(ReadingLane& lane, GroupList& groups) {
  const MonoTime now = clock_.now();
  if (groups.empty() || now < lane.next) {
    return;
  }
  const auto next = std::find_if(groups.begin(), groups.end(),
                                 [&](const auto* group) { return lane.last < group->first; });
  std::rotate(groups.begin(), next, groups.end());
  Duration cost{};
  std::size_t read = 0;
  while (read < groups.size() && cost < ReadingPace::kTurnCost) {
    Group& group = groups[read]->second;
    read_files(group, false);
    lane.last = groups[read++]->first;
    if (ReadingPace::is_dear(group.reading_cost)) {
      // Its own lane pays for it, even if its cost was unknown before; the others have waited long
      // enough.
      readings_.dear.next = ReadingPace::next_turn(now, group.reading_cost, 1, 1);
      break;
    }
    cost += group.reading_cost;
  }
  lane.next = std::max(lane.next, ReadingPace::next_turn(now, cost, read, groups.size()));
  deliver();
}

void Engine::arm_reading(MonoTime when) {
  reading_timer_.arm(when);
  readings_.due = when;
}

}  // namespace evictd::notify
