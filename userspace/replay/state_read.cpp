// SPDX-License-Identifier: Apache-2.0
// Reading states, and what they are made of.
#include <array>
#include <string_view>

#include "replay/pass_json.h"
#include "replay/read_fields.h"

namespace evictd::replay {

using exporting::JsonFields;

namespace {

eviction::ThresholdList read_places(JsonFields& fields, const char* key) {
  eviction::ThresholdList places;
  for (const Json& place : fields.list(key)) {
    if (!is_number(place, 0, eviction::kMaxThresholds - 1) ||
        places.has(place.get<std::size_t>())) {
      fields.refuse(key, "not places of thresholds, each once");
      return {};
    }
    places.add(place.get<std::size_t>());
  }
  return places;
}

eviction::ConditionSet read_conditions(JsonFields& fields, const char* key) {
  eviction::ConditionSet set;
  for (const Json& name : fields.list(key)) {
    bool known = false;
    for (const eviction::Condition condition : eviction::kConditions) {
      if (name.is_string() && name.get<std::string>() == eviction::to_string(condition)) {
        set.add(condition);
        known = true;
      }
    }
    if (!known) {
      fields.refuse(key, "not names of conditions only");
    }
  }
  return set;
}

}  // namespace

bool is_number(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) {
    return false;
  }
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    return false;
  }
  return json.get<std::int64_t>() >= least && json.get<std::int64_t>() <= most;
}

MonoTime moment_of(JsonFields& fields, const char* key, std::int64_t ns) {
  if (ns < 0) {
    fields.refuse(key, "a moment before the clock began");
    return {};
  }
  return MonoTime(Duration(ns));
}

eviction::Observations read_observations(JsonFields fields, const Json& object) {
  eviction::Observations observations;
  for (const auto& [name, value] : object.items()) {
    const eviction::Signal signal = eviction::signal_from_text(name, eviction::Compat::k1_32);
    if (signal == eviction::Signal::kUnknown) {
      fields.refuse(name.c_str(), "not a signal");
      return {};
    }
    JsonFields seen = fields.below(name.c_str());
    eviction::Observation observation;
    observation.available = seen.whole("available", -kMostAmount, kMostAmount);
    observation.capacity = seen.whole("capacity", -kMostAmount, kMostAmount);
    observation.time = seen.moment_or_null("time");
    if (seen.has("kernel_available")) {
      observation.kernel_available = seen.whole("kernel_available", -kMostAmount, kMostAmount);
    }
    if (seen.has("rate")) {
      observation.rate = seen.whole("rate", 0, kMostAmount);
    }
    if (seen.has("reserve")) {
      const auto [left, rate, tight] = numbers<3>(seen, "reserve", seen.list("reserve"));
      observation.reserve = eviction::KernelReserve{.left = left, .rate = rate, .tight = tight};
    }
    observations[signal] = observation;
  }
  return observations;
}

std::optional<eviction::DiskLayout> read_layout(JsonFields& fields, const char* key) {
  if (!fields.has(key)) {
    return std::nullopt;
  }
  JsonFields layout = fields.below(key);
  return eviction::DiskLayout{.dedicated_image_fs = layout.truth("dedicated_image_fs"),
                              .split_container_fs = layout.truth("split_container_fs")};
}

eviction::PassState state_from_json(JsonFields fields) {
  eviction::PassState state;
  state.conditions = read_conditions(fields, "conditions");
  read_moments(fields, "conditions_last_observed", state.conditions_last_observed);
  read_moments(fields, "unchanged_since", state.unchanged_since);
  for (const Json& entry : fields.list("first_observed")) {
    const auto [place, at] = numbers<2>(fields, "first_observed", entry);
    if (place < 0 || place >= static_cast<std::int64_t>(eviction::kMaxThresholds)) {
      fields.refuse("first_observed", "not a place of a threshold");
      return state;
    }
    state.first_observed[static_cast<std::size_t>(place)] = moment_of(fields, "first_observed", at);
  }
  state.past_grace = read_places(fields, "past_grace");
  state.last_observations =
      read_observations(fields.below("last_observations"), fields.object("last_observations"));
  state.layout = read_layout(fields, "layout");
  state.watch_points_refreshed_at = fields.moment_or_null("watch_points_refreshed_at");
  for (const Json& entry : fields.list("last_evictions")) {
    const auto [signal, at, available] = numbers<3>(fields, "last_evictions", entry);
    if (signal < 0 || signal >= static_cast<std::int64_t>(eviction::kSignalCount)) {
      fields.refuse("last_evictions", "not a place of a signal");
      return state;
    }
    state.last_evictions[static_cast<std::size_t>(signal)] = eviction::EvictionMark{
        .at = moment_of(fields, "last_evictions", at), .available = available};
  }
  if (fields.has("guard_mark")) {
    const auto [at, available] = numbers<2>(fields, "guard_mark", fields.list("guard_mark"));
    state.guard_mark =
        eviction::EvictionMark{.at = moment_of(fields, "guard_mark", at), .available = available};
  }
  return state;
}

eviction::SuspendedPass suspended_from_json(JsonFields fields) {
  eviction::SuspendedPass suspended;
  suspended.threshold =
      static_cast<std::size_t>(fields.whole("threshold", 0, eviction::kMaxThresholds - 1));
  suspended.met = read_places(fields, "met");
  suspended.past_grace = read_places(fields, "past_grace");
  suspended.actionable = read_places(fields, "actionable");
  suspended.observations =
      read_observations(fields.below("observations"), fields.object("observations"));
  return suspended;
}

}  // namespace evictd::replay
