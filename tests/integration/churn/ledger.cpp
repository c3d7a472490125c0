// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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
  Pod pod;
  pod.name = name;
  pod.standing = standing;
  pods_[uid] = pod;
}

void Ledger::moved(const std::string& from, const std::string& to, const std::string& name) {
  ++moves_;
  born(to, name, pods_[from].standing);
  pods_[from].next = to;
  pods_[to].before = from;
}

void Ledger::came_back(const std::string& uid) {
  ++returns_;
  Pod& pod = pods_[uid];
  pod.ended_from_outside = false;
  pod.came_back = true;
}

void Ledger::was_signalled(const std::string& uid, std::string by) {
  pods_[uid].signalled = std::move(by);
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
  const auto [place, is_new] = evictions_.try_emplace(line.value("id", std::uint64_t{0}));
  const bool came_late = is_new ? has_been_ended(uid) : place->second.came_late;
  place->second = Eviction{uid,
                           text_of(line, "pod"),
                           outcome,
                           text_of(line, "state"),
                           line.value("processes", std::int64_t{0}),
                           came_late};
  evicted_.insert(uid);
}

const Ledger::Pod* Ledger::find(const std::string& uid) const {
  const auto pod = pods_.find(uid);
  return pod != pods_.end() ? &pod->second : nullptr;
}

bool Ledger::has_record(const std::string& uid, const Pod& pod) const {
  return evicted_.contains(uid) || (!pod.before.empty() && evicted_.contains(pod.before));
}

bool Ledger::has_been_ended(const std::string& uid) const {
  const Pod* const pod = find(uid);
  const Pod* const next = pod != nullptr ? find(pod->next) : nullptr;
  return (pod != nullptr && (pod->ended_from_outside || pod->came_back)) ||
         (next != nullptr && next->ended_from_outside);
}

bool Ledger::is_known_signalled(const std::string& uid) const {
  const Pod* const pod = find(uid);
  const Pod* const next = pod != nullptr ? find(pod->next) : nullptr;
  return (pod != nullptr && !pod->signalled.empty()) ||
         (next != nullptr && !next->signalled.empty());
}

std::size_t Ledger::signalled() const {
  return static_cast<std::size_t>(std::count_if(
      pods_.begin(), pods_.end(), [](const auto& one) { return !one.second.signalled.empty(); }));
}

std::size_t Ledger::evictions() const {
  return static_cast<std::size_t>(
      std::count_if(evictions_.begin(), evictions_.end(),
                    [](const auto& one) { return one.second.outcome != "escalated"; }));
}

void Ledger::complain_of_pods(std::vector<std::string>& found) const {
  for (const auto& [uid, pod] : pods_) {
    const bool recorded = has_record(uid, pod);
    const std::string who = "pod " + pod.name + " (" + uid + ")";
    if (!pod.end.empty() && !pod.by_signal) {
      found.push_back(who + " ended by itself with " + pod.end);
    }
    if (pod.by_signal && !recorded) {
      found.push_back(who + " died of " + pod.end + " without a record");
    }
    if (!pod.signalled.empty() && !recorded) {
      found.push_back(who + " was sent " + pod.signalled + ", which has no record");
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
    } else if (eviction.processes > 0 && !eviction.came_late && !is_known_signalled(eviction.uid)) {
      found.push_back(which + " tells of a kill that the witness did not see");
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
