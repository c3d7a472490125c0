// SPDX-License-Identifier: Apache-2.0
// The JSON form of a state. A newer_member() is one that older versions did not write.
#include "daemon/state/saved_state_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "export/json_table.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;
using exporting::Custom;
using exporting::inlined;
using exporting::JsonFields;
using exporting::kNotNegative;
using exporting::member;
using exporting::newer_member;
using exporting::Table;

/// More than the bytes, inodes or tasks of any real node.
constexpr std::int64_t kMostAmount = std::int64_t{1} << 61U;
constexpr exporting::Scalar kAmount{.least = -kMostAmount, .most = kMostAmount};

constexpr auto kOrigin =
    Table(member("boot_id", &StateOrigin::boot_id), member("pod_root", &StateOrigin::pod_root),
          member("pod_root_id", &StateOrigin::pod_root_id));

constexpr auto kThreshold =
    Table(member("signal", &SavedThreshold::signal), member("value", &SavedThreshold::value),
          member("grace_ns", &SavedThreshold::grace_period),
          member("first_observed_ns", &SavedThreshold::first_observed),
          member("past_grace", &SavedThreshold::past_grace));

constexpr auto kMark =
    Table(member("signal", &SavedMark::signal),
          inlined(&SavedMark::mark,
                  Table(member("at_ns", &eviction::EvictionMark::at),
                        member("available", &eviction::EvictionMark::available, kAmount))));

constexpr auto kPodCgroup =
    Table(member("hierarchy", &CgroupId::hierarchy), member("cgroup", &CgroupId::id));

constexpr auto kEviction = Table(
    member("uid", &SavedEviction::uid), inlined(&SavedEviction::pod, kPodCgroup),
    newer_member("namespace", &SavedEviction::ns), newer_member("name", &SavedEviction::name),
    newer_member("signal", &SavedEviction::signal),
    newer_member("threshold", &SavedEviction::threshold),
    newer_member("local_limit", &SavedEviction::local_limit),
    newer_member("escalated", &SavedEviction::escalated), member("hard", &SavedEviction::hard),
    member("killed", &SavedEviction::killed), member("began_ns", &SavedEviction::began_at),
    // As far in the future as an operator or a manifest asked for.
    member("kill_due_ns", &SavedEviction::kill_due_at, kNotNegative),
    member("killed_ns", &SavedEviction::killed_at),
    newer_member("for_disk", &SavedEviction::for_disk),
    newer_member("below_pod_root", &SavedEviction::below_pod_root),
    newer_member("gone", &SavedEviction::gone));

void write_conditions(const SavedState& state, Json& json) {
  Json& conditions = json["conditions"] = Json::object();
  for (const eviction::Condition condition : eviction::kConditions) {
    const auto& at = state.conditions_last_observed[static_cast<std::size_t>(condition)];
    if (at) {
      conditions[std::string(eviction::to_string(condition))] = at->time_since_epoch().count();
    }
  }
}

void read_conditions(JsonFields& fields, SavedState& state) {
  JsonFields times = fields.below("conditions");
  for (const auto& [name, at] : fields.object("conditions").items()) {
    bool known = false;
    for (const eviction::Condition condition : eviction::kConditions) {
      if (name == eviction::to_string(condition)) {
        state.conditions_last_observed[static_cast<std::size_t>(condition)] =
            times.moment(name.c_str());
        known = true;
      }
    }
    if (!known) {
      times.refuse(name.c_str(), "not a condition of a node");
    }
  }
}

void write_signals(const eviction::Pauses& pauses, Json& json) {
  Json& signals = json["signals"] = Json::object();
  for (const eviction::Signal signal : eviction::kSignals) {
    const MonoTime until = pauses.by_signal[static_cast<std::size_t>(signal)];
    if (until != MonoTime{}) {
      signals[std::string(eviction::to_string(signal))] = until.time_since_epoch().count();
    }
  }
}

void read_signals(JsonFields& fields, eviction::Pauses& pauses) {
  JsonFields by_signal = fields.below("signals");
  for (const auto& [name, until] : fields.object("signals").items()) {
    const eviction::Signal signal = eviction::signal_from_text(name, eviction::Compat::k1_32);
    if (signal == eviction::Signal::kUnknown) {
      by_signal.refuse(name.c_str(), "not a signal");
      return;
    }
    kNotNegative.read(by_signal, name.c_str(), pauses.by_signal[static_cast<std::size_t>(signal)]);
  }
}

constexpr auto kPauses = Table(member("all_ns", &eviction::Pauses::all, kNotNegative),
                               Custom<eviction::Pauses>{write_signals, read_signals});

void write_evictions(const SavedState& state, Json& json) {
  Json& times = json["evictions_ns"] = Json::array();
  for (const MonoTime at : state.evictions) {
    times.push_back(at.time_since_epoch().count());
  }
}

void read_evictions(JsonFields& fields, SavedState& state) {
  state.evictions = fields.moments("evictions_ns");
}

constexpr auto kState = Table(
    inlined(&SavedState::origin, kOrigin),
    member("thresholds", &SavedState::thresholds, kThreshold),
    Custom<SavedState>{write_conditions, read_conditions},
    member("marks", &SavedState::marks, kMark),
    member("in_flight", &SavedState::in_flight, kEviction),
    Custom<SavedState>{write_evictions, read_evictions},
    inlined(&SavedState::wishes, Table(member("pauses", &engine::OperatorWishes::pauses, kPauses),
                                       newer_member("dry_run", &engine::OperatorWishes::dry_run))),
    member("configured_dry_run", &SavedState::configured_dry_run));

}  // namespace

Json to_json(const SavedState& state) {
  return kState.json(state);
}

Result<SavedState> read_saved_state(const Json& json) {
  std::optional<Error> failure;
  JsonFields fields(json, "", failure);
  SavedState state;
  kState.read(fields, state);
  if (failure) {
    return Failure(*failure);
  }
  return state;
}

}  // namespace evictd::daemon
