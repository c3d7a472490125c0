// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace evictd::churn {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// Whether a record tells of what must not happen in a run. The kernel's OOM killer may have a
/// victim elsewhere on the machine, which is no pod that evictd knows.
bool is_strange(const Json& line, const std::string& kind) {
  const bool of_a_pod = line.is_object() && line.contains("uid") && !line["uid"].is_null();
  return kind.empty() || kind == "gap" || kind == "degraded" || (kind == "oom_kill" && of_a_pod);
}

}  // namespace

void Ledger::born(const std::string& uid, const std::string& name, Standing standing) {
  pods_[uid] = Pod{name, standing, false, {}, false};
}

void Ledger::ending(const std::string& uid) {
  pods_[uid].ended_from_outside = true;
}

void Ledger::died(const std::string& uid, const stage::ChildExit& end) {
  Pod& pod = pods_[uid];
  if (!pod.ended_from_outside) {
    pod.end = end.text();
    pod.by_signal = WIFSIGNALED(end.status);
  }
}

void Ledger::take_line(std::string_view text) {
  ++lines_;
  const Json line = Json::parse(text, nullptr, false);
  const std::string kind = line.is_object() ? text_of(line, "kind") : std::string{};
  if (is_strange(line, kind)) {
    strange_.emplace_back(text.substr(0, 300));
  }
  if (kind == "threshold") {
    ++crossings_;
  }
  const std::string outcome = text_of(line, "outcome");
  const bool chosen = outcome == "evicted" || outcome == "oom_guard";
  if (kind != "decision" || (!chosen && outcome != "escalated")) {
    return;
  }
  const std::string uid = text_of(line, "uid");
  evictions_[line.value("id", std::uint64_t{0})] =
      Eviction{uid, text_of(line, "pod"), outcome, text_of(line, "state")};
  evicted_.insert(uid);
}

std::size_t Ledger::evictions() const {
  return static_cast<std::size_t>(
      std::count_if(evictions_.begin(), evictions_.end(),
                    [](const auto& one) { return one.second.outcome != "escalated"; }));
}

void Ledger::complain_of_pods(std::vector<std::string>& found) const {
  for (const auto& [uid, pod] : pods_) {
    const bool recorded = evicted_.contains(uid);
    const std::string who = "pod " + pod.name + " (" + uid + ")";
    if (!pod.end.empty() && !pod.by_signal) {
      found.push_back(who + " ended by itself with " + pod.end);
    }
    if (pod.by_signal && !recorded) {
      found.push_back(who + " died of " + pod.end + " without a record");
    }
    if (pod.standing == Standing::kProtected && (recorded || pod.by_signal)) {
      found.push_back(who + " is protected and was evicted");
    }
  }
}

void Ledger::complain_of_evictions(std::vector<std::string>& found) const {
  for (const auto& [id, eviction] : evictions_) {
    const std::string which = "record " + std::to_string(id) + " of " + eviction.name;
    if (!pods_.contains(eviction.uid)) {
      found.push_back(which + " is of no pod of this run");
    }
    if (eviction.state != "released") {
      found.push_back(which + " is left in the state \"" + eviction.state + "\"");
    }
  }
}

std::vector<std::string> Ledger::complaints() const {
  std::vector<std::string> found;
  for (const std::string& line : strange_) {
    found.push_back("this line has no place among the records: " + line);
  }
  complain_of_pods(found);
  complain_of_evictions(found);
  return found;
}

}  // namespace evictd::churn
