// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/saved_state_read.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "export/json_fields.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;
using exporting::JsonFields;

/// More than the bytes, inodes or tasks of any real node.
constexpr std::int64_t kMostAmount = std::int64_t{1} << 61U;

/// An end in the future may be as far away as an operator or a manifest asked for.
MonoTime end_of(JsonFields& fields, const char* key) {
  return MonoTime(Duration(fields.whole(key, 0)));
}

/// Members that older versions did not write.
std::string text_or_none(JsonFields& fields, const char* key) {
  return fields.has(key) ? fields.text(key) : std::string();
}
bool truth_or_false(JsonFields& fields, const char* key) {
  return fields.has(key) && fields.truth(key);
}

SavedThreshold read_threshold(JsonFields fields) {
  SavedThreshold threshold;
  threshold.signal = fields.text("signal");
  threshold.value = fields.text("value");
  threshold.grace_period = Duration(fields.whole("grace_ns", 0));
  threshold.first_observed = fields.moment("first_observed_ns");
  threshold.past_grace = fields.truth("past_grace");
  return threshold;
}

SavedMark read_mark(JsonFields fields) {
  SavedMark mark;
  mark.signal = fields.text("signal");
  mark.mark.at = fields.moment("at_ns");
  mark.mark.available = fields.whole("available", -kMostAmount, kMostAmount);
  return mark;
}

SavedEviction read_eviction(JsonFields fields) {
  SavedEviction eviction;
  eviction.uid = fields.text("uid");
  eviction.pod.hierarchy = static_cast<std::uint32_t>(
      fields.whole("hierarchy", 0, std::numeric_limits<std::uint32_t>::max()));
  eviction.pod.id = static_cast<std::uint64_t>(fields.whole("cgroup", 0));
  eviction.ns = text_or_none(fields, "namespace");
  eviction.name = text_or_none(fields, "name");
  eviction.signal = text_or_none(fields, "signal");
  eviction.threshold = text_or_none(fields, "threshold");
  eviction.local_limit = text_or_none(fields, "local_limit");
  eviction.escalated = truth_or_false(fields, "escalated");
  eviction.hard = fields.truth("hard");
  eviction.killed = fields.truth("killed");
  eviction.began_at = fields.moment("began_ns");
  eviction.kill_due_at = end_of(fields, "kill_due_ns");
  eviction.killed_at = fields.moment("killed_ns");
  eviction.for_disk = truth_or_false(fields, "for_disk");
  eviction.below_pod_root = truth_or_false(fields, "below_pod_root");
  eviction.gone = truth_or_false(fields, "gone");
  return eviction;
}

void read_conditions(JsonFields fields, const Json& object, eviction::ConditionTimes& times) {
  for (const auto& [name, at] : object.items()) {
    bool known = false;
    for (const eviction::Condition condition : eviction::kConditions) {
      if (name == eviction::to_string(condition)) {
        times[static_cast<std::size_t>(condition)] = fields.moment(name.c_str());
        known = true;
      }
    }
    if (!known) {
      fields.refuse(name.c_str(), "not a condition of a node");
    }
  }
}

void read_pauses(JsonFields fields, eviction::Pauses& pauses) {
  pauses.all = end_of(fields, "all_ns");
  JsonFields by_signal = fields.below("signals");
  for (const auto& [name, until] : fields.object("signals").items()) {
    const eviction::Signal signal = eviction::signal_from_text(name, eviction::Compat::k1_32);
    if (signal == eviction::Signal::kUnknown) {
      by_signal.refuse(name.c_str(), "not a signal");
      return;
    }
    pauses.by_signal[static_cast<std::size_t>(signal)] = end_of(by_signal, name.c_str());
  }
}

template <typename Read>
auto read_list(JsonFields& fields, const char* key, Read read) {
  std::vector<decltype(read(fields.at(key, 0)))> items;
  const std::size_t count = fields.list(key).size();
  for (std::size_t i = 0; i < count && !fields.failed(); ++i) {
    items.push_back(read(fields.at(key, i)));
  }
  return items;
}

}  // namespace

Result<SavedState> read_saved_state(const Json& json) {
  std::optional<Error> failure;
  JsonFields fields(json, "", failure);
  SavedState state;
  state.origin.boot_id = fields.text("boot_id");
  state.origin.pod_root = fields.text("pod_root");
  state.origin.pod_root_id = static_cast<std::uint64_t>(fields.whole("pod_root_id", 0));
  state.thresholds = read_list(fields, "thresholds", read_threshold);
  read_conditions(fields.below("conditions"), fields.object("conditions"),
                  state.conditions_last_observed);
  state.marks = read_list(fields, "marks", read_mark);
  state.in_flight = read_list(fields, "in_flight", read_eviction);
  state.evictions = fields.moments("evictions_ns");
  read_pauses(fields.below("pauses"), state.wishes.pauses);
  if (fields.has("dry_run")) {
    state.wishes.dry_run = fields.truth("dry_run");
  }
  state.configured_dry_run = fields.truth("configured_dry_run");
  if (failure) {
    return Failure(*failure);
  }
  return state;
}

}  // namespace evictd::daemon
