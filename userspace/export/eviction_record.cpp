// SPDX-License-Identifier: Apache-2.0
#include "export/eviction_record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace evictd::exporting {

std::optional<Duration> grace_used(const RecordedTimeline& timeline) {
  if (!timeline.signal || (!timeline.killed && !timeline.exited)) {
    return std::nullopt;
  }
  const MonoTime begin = timeline.grace_began.value_or(*timeline.signal);
  MonoTime end = timeline.killed.value_or(begin);
  if (timeline.exited && (!timeline.killed || *timeline.exited < end)) {
    end = *timeline.exited;
  }
  return std::max(end - begin, Duration::zero());
}

namespace {

std::string why_not_killed(std::string_view not_killed) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReasons{
      {{"static", "it comes from a static manifest now"},
       {"mirror", "it is a mirror pod now"},
       {"critical", "its priority is system-critical now"},
       {"never_evict", "neverEvict names it now"},
       {"unknown", "no source of pods knows it any more"},
       {"outside_root", "its cgroup is not below a pod root any more"},
       {"own_process", "evictd itself or pid 1 is in it"},
       {"unreachable", "none of its processes could be signalled"}}};
  std::string_view why = not_killed;
  for (const auto& [name, reason] : kReasons) {
    why = name == not_killed ? reason : why;
  }
  return std::string(why);
}

}  // namespace

std::string still_charged_text(std::int64_t bytes) {
  return "killed, " + std::to_string(bytes >> 20) +
         " MiB still charged to its cgroup by files in memory";
}

std::string bridge_text(const RecordedBridge& bridge) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kReasons{
      {{"no_memory_high", "evictd could open none, as on cgroup v1"},
       {"unreadable", "it or the pod's usage could not be read"},
       {"low_already", "it holds the pod back already"},
       {"not_noted", "its cgroup took no note of the former value"},
       {"refused", "the kernel refused it"}}};
  if (bridge.set) {
    const auto in_mib = [](std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
    return "its memory.high was lowered from " + (bridge.before ? in_mib(*bridge.before) : "max") +
           " to " + in_mib(*bridge.set);
  }
  std::string_view why = bridge.not_set;
  for (const auto& [name, reason] : kReasons) {
    why = name == bridge.not_set ? reason : why;
  }
  return "its memory.high was not lowered: " + std::string(why);
}

std::string not_killed_text(std::string_view not_killed) {
  return "SIGKILL was not sent: " + why_not_killed(not_killed);
}

std::string not_killed_in_dry_run_text(std::string_view not_killed) {
  return "SIGKILL would not have been sent: " + why_not_killed(not_killed);
}

}  // namespace evictd::exporting
