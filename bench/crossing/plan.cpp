// SPDX-License-Identifier: Apache-2.0
#include "crossing/plan.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace evictd::bench {
namespace {

constexpr Killer kKillers[] = {
    Killer::kEvictd,   Killer::kEvictdBackstop, Killer::kEvictdBrake, Killer::kEventfd,
    Killer::kPoll10ms, Killer::kPoll100ms,      Killer::kPoll1s,
};

/// A poller's delay is its period, regardless of priority and load. So one row a scene is enough,
/// in the conditions of the goals. All rows would take hours.
bool belongs(const Row& row, bool with_eventfd) {
  if (row.killer == Killer::kEventfd) {
    return with_eventfd;
  }
  // At a threshold of the node the same programs kill. Those rows would take half an hour more.
  if (row.killer == Killer::kEvictdBackstop || row.killer == Killer::kEvictdBrake) {
    return row.scene.target == Target::kCgroup;
  }
  return period_of(row.killer) == Duration{0} || (row.realtime && row.scene.busy_loops);
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  for (const Target target : {Target::kCgroup, Target::kNode}) {
    for (const stage::PageKind pages : {stage::PageKind::k4KiB, stage::PageKind::kHuge}) {
      for (const bool busy : {false, true}) {
        all.push_back({target, pages, busy});
      }
    }
  }
  return all;
}

}  // namespace

std::string_view name_of(Killer killer) {
  switch (killer) {
    case Killer::kEvictd:
      return "evictd";
    case Killer::kEvictdBackstop:
      return "evictd-backstop";
    case Killer::kEvictdBrake:
      return "evictd-brake";
    case Killer::kEventfd:
      return "eventfd";
    case Killer::kPoll10ms:
      return "poll-10ms";
    case Killer::kPoll100ms:
      return "poll-100ms";
    case Killer::kPoll1s:
      return "poll-1s";
  }
  return "";
}

std::string_view brake_of(Killer killer) {
  switch (killer) {
    case Killer::kEvictd:
      return "off";
    case Killer::kEvictdBackstop:
      return "backstop";
    case Killer::kEvictdBrake:
      return "immediate";
    case Killer::kEventfd:
    case Killer::kPoll10ms:
    case Killer::kPoll100ms:
    case Killer::kPoll1s:
      return "";
  }
  return "";
}

Duration period_of(Killer killer) {
  switch (killer) {
    case Killer::kEvictd:
    case Killer::kEvictdBackstop:
    case Killer::kEvictdBrake:
    case Killer::kEventfd:
      return Duration{0};
    case Killer::kPoll10ms:
      return std::chrono::milliseconds{10};
    case Killer::kPoll100ms:
      return std::chrono::milliseconds{100};
    case Killer::kPoll1s:
      return std::chrono::seconds{1};
  }
  return Duration{0};
}

nlohmann::json params_of(const Row& row) {
  return {{"killer", name_of(row.killer)},
          {"priority", row.realtime ? "fifo" : "ordinary"},
          {"busy_loops", row.scene.busy_loops ? 2 : 0},
          {"pages", row.scene.pages == stage::PageKind::kHuge ? "thp" : "4k"},
          {"threshold", row.scene.target == Target::kNode ? "node" : "cgroup"}};
}

std::string title_of(const Row& row) {
  std::string title{name_of(row.killer)};
  title += row.realtime ? " fifo" : " ordinary";
  title += row.scene.busy_loops ? " busy" : " idle";
  title += row.scene.pages == stage::PageKind::kHuge ? " thp" : " 4k";
  title += row.scene.target == Target::kNode ? " node" : " cgroup";
  return title;
}

std::vector<std::vector<Row>> plan(const Selection& selection, bool with_eventfd) {
  std::vector<std::vector<Row>> groups;
  for (const Scene& scene : scenes()) {
    std::vector<Row> rows;
    for (const Killer killer : kKillers) {
      for (const bool realtime : {true, false}) {
        const Row row{scene, killer, realtime};
        if (selection.wants(title_of(row)) && belongs(row, with_eventfd)) {
          rows.push_back(row);
        }
      }
    }
    if (!rows.empty()) {
      groups.push_back(std::move(rows));
    }
  }
  return groups;
}

}  // namespace evictd::bench
