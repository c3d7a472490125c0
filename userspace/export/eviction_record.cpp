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

std::string not_killed_text(std::string_view not_killed) {
  return "SIGKILL was not sent: " + why_not_killed(not_killed);
}

std::string not_killed_in_dry_run_text(std::string_view not_killed) {
  return "SIGKILL would not have been sent: " + why_not_killed(not_killed);
}

}  // namespace evictd::exporting
