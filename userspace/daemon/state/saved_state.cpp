// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/saved_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "daemon/state/saved_state_json.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::string_view kMagic = "evictd-state";

/// FNV-1a, 64 bits: detects a torn file, not a forged one (the file is root's).
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) {
    sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return sum;
}

/// Whether everything in it is in the past at `now`, as everything but ends of periods must be.
bool is_past(const SavedState& state, MonoTime now) {
  const auto all = [&](const auto& list, auto at) {
    return std::all_of(list.begin(), list.end(), [&](const auto& one) { return at(one) <= now; });
  };
  return all(state.thresholds, [](const auto& one) { return one.first_observed; }) &&
         all(state.conditions_last_observed,
             [](const auto& at) { return at.value_or(MonoTime{}); }) &&
         all(state.marks, [](const auto& one) { return one.mark.at; }) &&
         all(state.in_flight,
             [](const auto& one) { return std::max(one.began_at, one.killed_at); }) &&
         all(state.evictions, [](MonoTime at) { return at; });
}

Result<SavedState> check(SavedState state, const StateOrigin& here, MonoTime now) {
  if (state.origin.boot_id != here.boot_id) {
    return fail(Errc::kInvalid, "of another boot (" + state.origin.boot_id + ")");
  }
  if (state.origin != here) {
    return fail(Errc::kInvalid, fmt::format("of another pod root ({}, {}), here it is {}, {}",
                                            state.origin.pod_root, state.origin.pod_root_id,
                                            here.pod_root, here.pod_root_id));
  }
  if (!is_past(state, now)) {
    return fail(Errc::kInvalid, "of a time in the future");
  }
  return state;
}

}  // namespace

std::string sealed_state(std::string_view body) {
  return fmt::format("{} {} {} {:016x}\n{}", kMagic, kVersion, body.size(), checksum(body), body);
}

std::string to_text(const SavedState& state) {
  return sealed_state(to_json(state).dump() + "\n");
}

Result<SavedState> parse_state(std::string_view text, const StateOrigin& here, MonoTime now) {
  const std::size_t end = text.find('\n');
  const std::string_view head = text.substr(0, end);
  const std::string_view body =
      end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  const std::string version = fmt::format("{} {} ", kMagic, kVersion);
  if (head.starts_with(kMagic) && !head.starts_with(version)) {
    return fail(Errc::kUnsupported, fmt::format("of another version ({}), here it is {}",
                                                head.substr(0, 40), kVersion));
  }
  if (head != fmt::format("{}{} {:016x}", version, body.size(), checksum(body))) {
    return fail(Errc::kMalformed, "torn, or not a state file of evictd");
  }
  const Result<Json> json = base::parse_json<Json>(body);
  if (!json) {
    return fail(Errc::kMalformed, "not a state file of evictd: line 2: " + json.error().context);
  }
  Result<SavedState> state = read_saved_state(*json);
  if (!state) {
    return fail(Errc::kMalformed, "not a state file of evictd: line 2: " + state.error().context);
  }
  return check(std::move(*state), here, now);
}

void save_pass(const eviction::PassState& state, const eviction::ThresholdTable& thresholds,
               SavedState& into) {
  into.thresholds.clear();
  into.marks.clear();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (state.first_observed[i]) {
      into.thresholds.push_back({.signal = std::string(eviction::to_string(thresholds[i].signal)),
                                 .value = eviction::to_string(thresholds[i].value),
                                 .grace_period = thresholds[i].grace_period,
                                 .first_observed = *state.first_observed[i],
                                 .past_grace = state.past_grace.has(i)});
    }
  }
  into.conditions_last_observed = state.conditions_last_observed;
  for (const eviction::Signal signal : eviction::kSignals) {
    if (const auto& mark = state.last_evictions[static_cast<std::size_t>(signal)]) {
      into.marks.push_back({.signal = std::string(eviction::to_string(signal)), .mark = *mark});
    }
  }
}

eviction::PassState restore_pass(const SavedState& saved,
                                 const eviction::ThresholdTable& thresholds,
                                 std::vector<std::string>& dropped) {
  eviction::PassState state;
  state.conditions_last_observed = saved.conditions_last_observed;
  for (const SavedThreshold& one : saved.thresholds) {
    bool found = false;
    for (std::size_t i = 0; i < thresholds.size() && !found; ++i) {
      found = eviction::to_string(thresholds[i].signal) == one.signal &&
              eviction::to_string(thresholds[i].value) == one.value &&
              thresholds[i].grace_period == one.grace_period && !state.first_observed[i];
      if (found) {
        state.first_observed[i] = one.first_observed;
        if (one.past_grace) {
          state.past_grace.add(i);
        }
      }
    }
    if (!found) {
      dropped.push_back(one.signal + " " + one.value);
    }
  }
  if (std::any_of(saved.in_flight.begin(), saved.in_flight.end(),
                  [](const SavedEviction& one) { return !one.gone; })) {
    // A victim's growth in its grace period does not show that its end will be insufficient. So the
    // fall of the signal while it is awaited is measured from now on.
    return state;
  }
  for (const SavedMark& one : saved.marks) {
    const eviction::Signal signal = eviction::signal_from_text(one.signal, eviction::Compat::k1_32);
    if (signal != eviction::Signal::kUnknown) {
      state.last_evictions[static_cast<std::size_t>(signal)] = one.mark;
    }
  }
  return state;
}

}  // namespace evictd::daemon
