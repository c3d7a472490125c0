// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/queue_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/json_text.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

using base::count_at;
using Json = nlohmann::json;

/// Version of the file; increases with a change that an older evictd-kube would misread.
constexpr int kVersion = 1;

std::optional<Victim> victim_of(const Json& json) {
  const bool is_victim =
      json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_number_unsigned();
  return is_victim ? std::optional(
                         Victim{.uid = json[0].get<std::string>(), .id = json[1].get<uint64_t>()})
                   : std::nullopt;
}

Json victim_json(const Victim& victim) {
  return Json::array({victim.uid, victim.id});
}

Json pressure_json(const Pressure& pressure) {
  Json list = Json::array();
  for (const Pressure::One& one : pressure.kinds) {
    list.push_back({one.is_set, one.since});
  }
  return list;
}

/// Keeps `pressure` if the JSON is malformed.
void read_pressure(const Json& json, Pressure& pressure) {
  if (json.size() != pressure.kinds.size()) {
    return;
  }
  for (std::size_t i = 0; i < pressure.kinds.size(); ++i) {
    const Json& one = json[i];
    if (one.is_array() && one.size() == 2 && one[0].is_boolean() && one[1].is_string()) {
      pressure.kinds[i] = {.is_set = one[0].get<bool>(), .since = one[1].get<std::string>()};
    }
  }
}

}  // namespace

std::string event_key(const EventNote& event, const std::string& uid) {
  return (event.is_on_node ? std::string("node") : uid) + '\n' + event.type + '\n' + event.reason +
         '\n' + event.message;
}

std::string QueueState::begin_text(const std::string& since) {
  return Json{{"version", kVersion}, {"since", since}}.dump();
}

std::string QueueState::taken_text(const TakenLine& line) {
  Json json = {{"seq", line.seq}};
  if (line.victim) {
    json["victims"] = Json::array({victim_json(*line.victim)});
  }
  if (line.pressure) {
    json["pressure"] = pressure_json(*line.pressure);
  }
  if (line.controlled) {
    json["controlled"] = to_json(*line.controlled);
  }
  for (const Entry& entry : line.entries) {
    json["entries"].push_back(to_json(entry));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string QueueState::cursor_text(std::uint64_t seq) {
  return Json{{"seq", seq}}.dump();
}

std::string QueueState::done_text(std::uint64_t number, std::size_t done) {
  return Json{{"number", number}, {"done", done}}.dump();
}

std::vector<std::string> QueueState::texts() const {
  std::vector<std::string> texts = {begin_text(since_)};
  for (const auto& [number, entry] : entries_) {
    texts.push_back(Json{{"entries", Json::array({to_json(entry)})}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
  }
  // Last: reading an entry counts its events again.
  Json known = {{"events", events_.to_json()},
                {"victims", Json::array()},
                {"pressure", pressure_json(pressure_)},
                {"loops", loops_.to_json()}};
  for (const Victim& victim : victims_) {
    known["victims"].push_back(victim_json(victim));
  }
  if (cursor_) {
    known["seq"] = *cursor_;
  }
  texts.push_back(known.dump(-1, ' ', false, Json::error_handler_t::replace));
  return texts;
}

Result<> QueueState::apply(std::string_view text) {
  const Json json = base::parse_json<Json>(text).value_or(Json());
  if (!json.is_object()) {
    return fail(Errc::kMalformed, "not a line of a queue");
  }
  if (const auto version = json.find("version"); version != json.end()) {
    if (*version != kVersion) {
      return fail(Errc::kUnsupported, "a queue of another version: " + version->dump() +
                                          "; allowed: " + std::to_string(kVersion));
    }
    const auto since = json.find("since");
    since_ = since != json.end() && since->is_string() ? since->get<std::string>() : "";
    return {};
  }
  if (json.contains("done")) {
    apply_done(json);
    return {};
  }
  return apply_taken(json);
}

Result<> QueueState::apply_taken(const Json& json) {
  std::vector<Entry> entries;
  for (const Json& one : json.value("entries", Json::array())) {
    EVICTD_ASSIGN_OR_RETURN(Entry entry, entry_from_json(one));
    entries.push_back(std::move(entry));
  }
  std::optional<ControlledEviction> controlled;
  if (const auto found = json.find("controlled"); found != json.end()) {
    EVICTD_ASSIGN_OR_RETURN(controlled, controlled_eviction_from_json(*found));
  }
  events_.take(json.value("events", Json::array()));
  for (const Json& one : json.value("victims", Json::array())) {
    if (std::optional<Victim> victim = victim_of(one)) {
      take_victim(std::move(*victim));
    }
  }
  if (const auto pressure = json.find("pressure"); pressure != json.end() && pressure->is_array()) {
    read_pressure(*pressure, pressure_);
  }
  loops_.take_json(json.value("loops", Json()));
  if (controlled) {
    loops_.take(*controlled);
  }
  for (Entry& entry : entries) {
    take_entry(std::move(entry));
  }
  if (const std::uint64_t seq = count_at(json, "seq"); seq != 0) {
    cursor_ = seq;
  }
  return {};
}

void QueueState::take_victim(Victim victim) {
  victims_.push_back(std::move(victim));
  if (victims_.size() > kMostVictims) {
    victims_.pop_front();
  }
}

void QueueState::take_entry(Entry entry) {
  for (const Step& step : entry.steps) {
    if (step.kind == Step::Kind::kEvent) {
      events_.put({.key = event_key(step.event, entry.uid),
                   .name = step.event.name,
                   .first_time = step.event.first_time,
                   .count = step.event.count});
    }
  }
  if (entry.done < entry.steps.size()) {
    const std::uint64_t number = entry.number;
    entries_.insert_or_assign(number, std::move(entry));
  }
}

void QueueState::apply_done(const Json& json) {
  const auto entry = entries_.find(count_at(json, "number"));
  if (entry == entries_.end()) {
    return;
  }
  entry->second.done = std::max(entry->second.done, std::size_t{count_at(json, "done")});
  if (entry->second.done >= entry->second.steps.size()) {
    entries_.erase(entry);
  }
}

bool QueueState::knows_decision(const Victim& victim) const {
  return std::any_of(victims_.begin(), victims_.end(), [&](const Victim& known) {
    return known.uid == victim.uid && known.id == victim.id;
  });
}

bool QueueState::knows_victim(const std::string& uid) const {
  return std::any_of(victims_.begin(), victims_.end(),
                     [&](const Victim& known) { return known.uid == uid; });
}

}  // namespace evictd::kube
