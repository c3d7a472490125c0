// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_absent.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "cli/explain_text.h"
#include "cli/pod_text.h"

namespace evictd::cli {

namespace {

using base::list_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// Why a pod with that protection is never chosen.
std::string_view protection_text(std::string_view protection) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTexts{
      {{"static", "it comes from a static manifest"},
       {"mirror", "it is the mirror of a static pod"},
       {"critical", "its priority is critical"},
       {"never_evict", "neverEvict names its namespace or a label"},
       {"unknown", "no source of pods knows its cgroup"},
       {"outside_root",
        "its directory is not, or no longer, the one that was opened below the pod root"},
       {"own_process", "evictd itself or pid 1 is in it"}}};
  for (const auto& [name, text] : kTexts) {
    if (name == protection) {
      return text;
    }
  }
  return "the reason is unknown";
}

std::string reason_of_absence(const Json& pod) {
  const std::string state = text_at(pod, "state");
  if (state == "active") {
    return "It would take part in one now: no ranking is recorded since it exists.";
  }
  if (state == "unknown") {
    return "No source of pods knows its cgroup: it is never evicted.";
  }
  if (state == "not_yet_read") {
    return "Its statistics have not been read yet.";
  }
  if (state == "terminated") {
    return "It has ended.";
  }
  if (state == "empty") {
    return "Its cgroup has no live process.";
  }
  return state == "no_cgroup" ? "It has no cgroup." : "The reason is unknown.";
}

}  // namespace

std::vector<std::string> story_of_absent(const Json& status, std::string_view what) {
  for (const Json& pod : list_at(status, "pods")) {
    if (!pod.is_object()) {
      continue;
    }
    const std::string ns = text_at(pod, "namespace");
    const std::string name = text_at(pod, "name");
    const std::string uid = text_at(pod, "uid");
    if (!names_pod(what, ns, name, uid)) {
      continue;
    }
    const std::string known_as =
        name.empty() ? uid : fmt::format("{} ({})", pod_text(ns, name, uid), uid);
    std::vector<std::string> story{
        fmt::format("Pod {} took part in none of the recorded decisions.", known_as)};
    story.push_back(reason_of_absence(pod));
    const std::string protection = text_at(pod, "protection");
    if (!protection.empty() && protection != "none") {
      story.push_back(fmt::format("It may never be evicted: protected ({}): {}.", protection,
                                  protection_text(protection)));
    }
    return story;
  }
  return {};
}

}  // namespace evictd::cli
