// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded.h"

#include <algorithm>
#include <map>
#include <utility>

#include "evictd/try.h"
#include "replay/replay.h"

namespace evictd::replay {

namespace {

/// A place in `list` that the member `name` of a decision says; nothing for null or nonsense.
std::optional<std::size_t> place_in(const Json& decision, const char* name, std::size_t size) {
  const auto found = decision.find(name);
  if (found == decision.end() || !found->is_number_unsigned() ||
      found->get<std::size_t>() >= size) {
    return std::nullopt;
  }
  return found->get<std::size_t>();
}

bool has_outcome(const RecordedPass& pass, const char* outcome) {
  const auto found = pass.decision.find("outcome");
  return found != pass.decision.end() && *found == outcome;
}

/// The limit that a pod was to go for; empty if the decision does not say.
std::string limit_of(const RecordedPass& pass, std::size_t place) {
  const auto victims = pass.decision.find("local_victims");
  if (victims == pass.decision.end() || !victims->is_array()) {
    return {};
  }
  for (const Json& victim : *victims) {
    if (victim.is_array() && victim.size() == 3 && victim[0] == place && victim[1].is_string()) {
      return victim[1].get<std::string>();
    }
  }
  return {};
}

/// The place in `pods` of the one that went for node pressure.
std::optional<std::size_t> pressure_victim(const RecordedPass& pass) {
  return pass.signal_at ? place_in(pass.decision, "victim", pass.pods.size()) : std::nullopt;
}

Eviction eviction_in(const RecordedPass& pass, std::size_t place, const Parts& parts) {
  Eviction eviction =
      begin_eviction(parts, parts.identity[pass.pods[place].number], pass.now, grace_of(pass));
  eviction.escalated = has_outcome(pass, "escalated");
  eviction.dry_run = pass.dry_run;
  return eviction;
}

/// What was acted on, as the thresholds of the configuration then in force name it.
void add_threshold(Eviction& eviction, const RecordedPass& pass,
                   const eviction::ThresholdTable& thresholds) {
  const auto place = place_in(pass.decision, "threshold", thresholds.size());
  if (!place) {
    return;
  }
  const eviction::Threshold& threshold = thresholds[*place];
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  if (pass.observations && (*pass.observations)[threshold.signal]) {
    eviction.available = (*pass.observations)[threshold.signal]->available;
  }
}

/// Goes on to the last pass at which the pod was there, before SIGKILL was due.
void follow_to_its_end(RecordedEnd& end, const Parts& parts) {
  for (std::size_t i = parts.place_at(end.asked_at); i < parts.passes.size(); ++i) {
    const RecordedPass& pass = *parts.passes[i];
    if (pass.now > end.kill_at) {
      return;
    }
    if (!pass.observations) {
      continue;  // Nothing was read in it.
    }
    const RecordedPodPass* found = parts.find(pass, end.pod);
    if (found == nullptr || found->usage.tasks == 0) {
      end.left_early = true;
      return;
    }
    end.last_seen = pass.now;
  }
}

/// The layout that a pass was run with, which decides which thresholds there are; unset if it was
/// not known yet.
std::optional<eviction::DiskLayout> layout_at(const RecordedPass& pass) {
  return pass.before && pass.before->layout ? pass.before->layout : pass.layout;
}

}  // namespace

std::size_t Parts::place_at(MonoTime now) const {
  const auto later =
      std::upper_bound(passes.begin(), passes.end(), now,
                       [](MonoTime at, const RecordedPass* pass) { return at < pass->now; });
  return later == passes.begin() ? 0 : static_cast<std::size_t>(later - passes.begin()) - 1;
}

const RecordedPodPass* Parts::find(const RecordedPass& pass, std::size_t identity_wanted) const {
  const auto found = std::find_if(pass.pods.begin(), pass.pods.end(), [&](const auto& one) {
    return identity[one.number] == identity_wanted;
  });
  return found == pass.pods.end() ? nullptr : &*found;
}

eviction::DiskLayout Parts::layout() const {
  const auto first = std::find_if(passes.begin(), passes.end(), [](const RecordedPass* pass) {
    return pass->layout.has_value();
  });
  return first == passes.end() ? eviction::DiskLayout{} : *(*first)->layout;
}

Result<Parts> parts_of(const Recording& recording) {
  Parts parts;
  std::map<std::string, std::size_t> first;
  for (const RecordedItem& item : recording.items) {
    if (const auto* pod = std::get_if<RecordedPod>(&item)) {
      parts.pods.resize(std::max(parts.pods.size(), pod->number + 1));
      parts.identity.resize(parts.pods.size());
      parts.pods[pod->number] = pod;
      parts.identity[pod->number] =
          first.emplace(pod->uid + '\n' + name_of(*pod), pod->number).first->second;
    } else if (const auto* pass = std::get_if<RecordedPass>(&item)) {
      parts.passes.push_back(pass);
      parts.config_of.push_back(parts.configs.empty() ? 0 : parts.configs.size() - 1);
      parts.missed_passes += pass->missed;
    } else if (const auto* config = std::get_if<RecordedConfig>(&item)) {
      parts.configs.push_back(config);
    }
  }
  if (parts.passes.empty() || parts.configs.empty()) {
    return fail(Errc::kMalformed, "the recording has no pass, or no configuration");
  }
  return parts;
}

std::string name_of(const RecordedPod& pod) {
  return pod.name.empty() ? pod.uid : pod.ns + "/" + pod.name;
}

std::vector<std::size_t> signalled_in(const RecordedPass& pass, const Parts& parts) {
  std::vector<std::size_t> pods;
  if (const auto victim = pressure_victim(pass)) {
    pods.push_back(parts.identity[pass.pods[*victim].number]);
  }
  for (const std::size_t place : pass.local_signalled) {
    pods.push_back(parts.identity[pass.pods[place].number]);
  }
  return pods;
}

std::chrono::milliseconds grace_of(const RecordedPass& pass) {
  constexpr std::int64_t kDaySeconds = 86'400;
  const auto number = [&pass](const char* key) -> std::optional<std::int64_t> {
    const auto found = pass.decision.find(key);
    return found != pass.decision.end() && found->is_number_integer()
               ? std::optional(found->get<std::int64_t>())
               : std::nullopt;
  };
  if (const auto cut = number("grace_ms")) {
    return std::chrono::milliseconds(*cut);
  }
  return std::chrono::seconds(std::clamp(number("grace").value_or(0), -kDaySeconds, kDaySeconds));
}

bool is_in_grace(eviction::Standing standing) {
  return standing == eviction::Standing::kInSoftGrace ||
         standing == eviction::Standing::kInHardGrace;
}

Eviction begin_eviction(const Parts& parts, std::size_t pod, MonoTime at,
                        std::chrono::milliseconds grace) {
  return {.at = at,
          .pod = pod,
          .name = name_of(*parts.pods[pod]),
          .uid = parts.pods[pod]->uid,
          .signal = {},
          .threshold = {},
          .local_limit = {},
          .available = 0,
          .grace = grace,
          .escalated = false,
          .dry_run = false};
}

bool is_of_disk(const Eviction& eviction) {
  return !eviction.local_limit.empty() ||
         eviction::is_disk(eviction::signal_from_text(eviction.signal, eviction::Compat::k1_32));
}

MonoTime kill_after(MonoTime asked_at, std::chrono::milliseconds grace) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24);
  return asked_at + std::clamp(grace, std::chrono::milliseconds(0), kLongest);
}

std::vector<RecordedEnd> recorded_ends(const Parts& parts) {
  std::vector<RecordedEnd> ends;
  for (const RecordedPass* pass : parts.passes) {
    if (pass->dry_run) {
      continue;
    }
    const MonoTime kill_at = kill_after(pass->now, grace_of(*pass));
    for (const std::size_t pod : signalled_in(*pass, parts)) {
      const auto known = std::find_if(ends.begin(), ends.end(),
                                      [&](const RecordedEnd& end) { return end.pod == pod; });
      if (known == ends.end()) {
        ends.push_back({.pod = pod,
                        .asked_at = pass->now,
                        .kill_at = kill_at,
                        .last_seen = pass->now,
                        .left_early = false});
      } else {
        known->kill_at = std::min(known->kill_at, kill_at);
      }
    }
  }
  for (RecordedEnd& end : ends) {
    follow_to_its_end(end, parts);
  }
  return ends;
}

Result<std::vector<eviction::EvictionManager>> recorded_managers(const Parts& parts) {
  std::vector<eviction::EvictionManager> managers;
  for (std::size_t config = 0; config < parts.configs.size(); ++config) {
    EVICTD_ASSIGN_OR_RETURN(eviction::EvictionManager manager, manager_of(*parts.configs[config]));
    eviction::PassState state;
    for (std::size_t i = 0; i < parts.passes.size() && !state.layout; ++i) {
      if (parts.config_of[i] == config) {
        state.layout = layout_at(*parts.passes[i]);
      }
    }
    manager.restore(state);
    managers.push_back(std::move(manager));
  }
  return managers;
}

std::vector<Eviction> recorded_evictions(const Parts& parts,
                                         const std::vector<eviction::EvictionManager>& managers) {
  std::vector<Eviction> evictions;
  for (std::size_t i = 0; i < parts.passes.size(); ++i) {
    const RecordedPass* pass = parts.passes[i];
    for (const std::size_t place : pass->local_signalled) {
      Eviction eviction = eviction_in(*pass, place, parts);
      eviction.local_limit = limit_of(*pass, place);
      evictions.push_back(std::move(eviction));
    }
    if (const auto place = pressure_victim(*pass)) {
      Eviction eviction = eviction_in(*pass, *place, parts);
      add_threshold(eviction, *pass, managers[parts.config_of[i]].thresholds());
      evictions.push_back(std::move(eviction));
    }
  }
  return evictions;
}

std::vector<RecordedReclaim> recorded_reclaims(const Parts& parts) {
  std::vector<RecordedReclaim> reclaims;
  const RecordedPass* begun = nullptr;
  for (const RecordedPass* pass : parts.passes) {
    if (has_outcome(*pass, "reclaiming")) {
      begun = pass;
    } else if (pass->resumed && begun != nullptr) {
      reclaims.push_back({.begin = begun->now,
                          .end = pass->now,
                          .before = begun->observations.value_or(eviction::Observations{}),
                          .after = pass->observations.value_or(eviction::Observations{})});
      begun = nullptr;
    }
  }
  if (begun != nullptr) {
    const RecordedPass& last = *parts.passes.back();
    reclaims.push_back({.begin = begun->now,
                        .end = last.now + Duration(1),
                        .before = begun->observations.value_or(eviction::Observations{}),
                        .after = last.observations.value_or(eviction::Observations{})});
  }
  return reclaims;
}

}  // namespace evictd::replay
