// SPDX-License-Identifier: Apache-2.0
// Reading what pass_json.cpp wrote of pods and passes.
#include <array>
#include <string_view>

#include "replay/pass_json.h"
#include "replay/read_fields.h"
#include "replay/spec_json.h"

namespace evictd::replay {

namespace {

using exporting::JsonFields;

eviction::GrowthLimits read_growth(JsonFields& fields) {
  eviction::GrowthLimits growth{
      .memory_per_second = Bytes{fields.whole("memory_per_second", 0, kMostAmount)},
      .tasks_per_second = fields.whole("tasks_per_second", 0, kMostAmount)};
  // Before, disks were not judged, nor memory by its capacity.
  if (fields.has("disk_per_second")) {
    growth.disk_per_second = Bytes{fields.whole("disk_per_second", 0, kMostAmount)};
    growth.disk_ahead = Bytes{fields.whole("disk_ahead", 0, kMostAmount)};
    growth.capacity_part = fields.whole("capacity_part", 0, kMostAmount);
  }
  return growth;
}

RecordedBrakes read_brakes(JsonFields fields) {
  RecordedBrakes recorded;
  recorded.brakes.max_evictions_per_minute =
      static_cast<std::size_t>(fields.whole("max_evictions_per_minute", 0));
  for (const Json& moment : fields.list("recent")) {
    if (!is_number(moment, 0, exporting::kLastMoment)) {
      fields.refuse("recent", "not moments");
      return recorded;
    }
    recorded.recent.emplace_back(Duration(moment.get<std::int64_t>()));
  }
  recorded.brakes.pauses.all = fields.moment("all_paused_until");
  std::array<std::optional<MonoTime>, eviction::kSignalCount> paused;
  read_moments(fields, "paused_until", paused);
  for (std::size_t i = 0; i < paused.size(); ++i) {
    recorded.brakes.pauses.by_signal[i] = paused[i].value_or(MonoTime{});
  }
  recorded.brakes.growth = read_growth(fields);
  recorded.brakes.released_at = fields.moment_or_null("released_at");
  // Where the two were not told apart yet, one stood for both.
  std::array<std::optional<MonoTime>, 1> below{recorded.brakes.released_at};
  if (fields.has("released_below_pod_root_at")) {
    below = {};
    read_moments(fields, "released_below_pod_root_at", below);
  }
  recorded.brakes.released_below_pod_root_at = below[0];
  return recorded;
}

Labels read_labels(JsonFields fields, const Json& object) {
  Labels labels;
  for (const auto& [name, value] : object.items()) {
    labels.emplace(name, fields.text(name.c_str()));
  }
  return labels;
}

eviction::PodFacts read_facts(JsonFields fields) {
  eviction::PodFacts facts;
  facts.qos = static_cast<eviction::QosClass>(fields.whole("qos", 0, 3));
  facts.priority =
      static_cast<std::int32_t>(fields.whole("priority", std::numeric_limits<std::int32_t>::min(),
                                             std::numeric_limits<std::int32_t>::max()));
  facts.is_static = fields.truth("static");
  facts.is_mirror = fields.truth("mirror");
  facts.is_critical = fields.truth("critical");
  facts.is_node_critical = fields.truth("node_critical");
  facts.never_evict = fields.truth("never_evict");
  facts.tolerates_memory_pressure = fields.truth("tolerates_memory_pressure");
  facts.has_local_limits = fields.truth("has_local_limits");
  facts.memory_request_nanos = wide_from(fields, "memory_request");
  facts.ephemeral_request_nanos = wide_from(fields, "ephemeral_request");
  if (fields.has("inode_request")) {
    facts.inode_request_nanos = wide_from(fields, "inode_request");
  }
  facts.below_pod_root = !fields.has("outside_pod_root") || !fields.truth("outside_pod_root");
  facts.termination_grace_seconds = fields.whole_or_null("grace");
  return facts;
}

/// Five numbers, and a sixth where the pod lies outside the pod root. Where it has left memory
/// behind seven: the sixth is 1 if it lies outside, the last says how much.
eviction::ReleasingPod read_releasing(JsonFields& fields, const Json& entry) {
  constexpr std::size_t kWithPlace = 6;
  constexpr std::size_t kWithLeft = 7;
  bool outside = entry.is_array() && entry.size() == kWithPlace;
  Json amounts = entry;
  if (outside) {
    amounts.erase(kWithPlace - 1);
  }
  std::int64_t left = 0;
  if (entry.is_array() && entry.size() == kWithLeft) {
    const auto all = numbers<kWithLeft>(fields, "releasing", entry);
    outside = all[kWithPlace - 1] != 0;
    left = all[kWithLeft - 1];
    amounts.erase(kWithLeft - 1);
    amounts.erase(kWithPlace - 1);
  }
  const auto [at, memory, tasks, disk, inodes] = numbers<5>(fields, "releasing", amounts);
  return {.killed_at = moment_of(fields, "releasing", at),
          .memory = Bytes{memory},
          .tasks = tasks,
          .disk = Bytes{disk},
          .inodes = inodes,
          .below_pod_root = !outside,
          .left = Bytes{left}};
}

RecordedPodPass read_pod_pass(JsonFields fields) {
  RecordedPodPass pod;
  pod.number = static_cast<std::size_t>(fields.whole("n", 0));
  const auto reading = numbers<3>(fields, "r");
  if (reading[0] < 0 || reading[0] > 2) {
    fields.refuse("r", "not a state of a reading");
    return pod;
  }
  pod.reading.state = static_cast<eviction::ReadingState>(reading[0]);
  pod.reading.working_set_bytes = reading[1];
  pod.reading.processes = reading[2];
  pod.standing = static_cast<eviction::Standing>(fields.whole("s", 0, 5));
  const auto usage = numbers<7>(fields, "u");
  pod.usage.usage = Bytes{usage[0]};
  pod.usage.inactive_file = Bytes{usage[1]};
  pod.usage.tasks = usage[2];
  pod.usage.stall = Duration(usage[3]);
  pod.usage.rate_bytes_per_second = usage[4];
  pod.usage.read_at = moment_of(fields, "u", usage[5]);
  pod.usage.source = usage[6] == 1 ? UsageSource::kBpfTable : UsageSource::kCgroupFiles;
  if (fields.has("d")) {
    JsonFields disk = fields.below("d");
    pod.reading.disk = {.root_bytes = wide_from(disk, "rb"),
                        .root_inodes = wide_from(disk, "ri"),
                        .log_bytes = wide_from(disk, "lb"),
                        .log_inodes = wide_from(disk, "li"),
                        .volume_bytes = wide_from(disk, "vb"),
                        .volume_inodes = wide_from(disk, "vi")};
  }
  if (fields.has("g")) {
    pod.grown = Bytes{fields.whole("g", 0)};
  }
  if (fields.has("c")) {
    pod.disk_count = static_cast<eviction::DiskCount>(fields.whole("c", 0, 2));
  }
  if (fields.has("t")) {
    pod.statistics = statistics_from_json(fields.below("t"));
  }
  return pod;
}

}  // namespace

eviction::Wide wide_from(JsonFields& fields, const char* key) {
  const Json* value = nullptr;
  if (!fields.has(key)) {
    fields.refuse(key, "missing");
    return 0;
  }
  value = &fields.member(key);
  if (value->is_number_integer()) {
    return fields.whole(key);
  }
  const std::string text = fields.text(key);
  constexpr std::size_t kMostDigits = 38;
  const bool negative = text.starts_with('-');
  eviction::Wide wide = 0;
  if (text.size() - (negative ? 1 : 0) - 1 >= kMostDigits) {
    fields.refuse(key, "not a whole number of up to 38 digits");
    return 0;
  }
  for (const char c : std::string_view(text).substr(negative ? 1 : 0)) {
    if (c < '0' || c > '9') {
      fields.refuse(key, "not a whole number of up to 38 digits");
      return 0;
    }
    wide = wide * 10 + (c - '0');
  }
  // 38 digits stay below 2^127; facts are cut at 1e37.
  return negative ? -wide : wide;
}

RecordedPod pod_from_json(JsonFields fields) {
  RecordedPod pod;
  pod.number = static_cast<std::size_t>(fields.whole("pod", 0, kMostPods));
  pod.ns = fields.text("namespace");
  pod.name = fields.text("name");
  pod.uid = fields.text("uid");
  pod.labels = read_labels(fields.below("labels"), fields.object("labels"));
  pod.facts = read_facts(fields.below("facts"));
  if (fields.has("spec")) {
    pod.spec = spec_from_json(fields.below("spec"));
  }
  return pod;
}

RecordedPass pass_from_json(JsonFields fields) {
  RecordedPass pass;
  pass.now = fields.moment("pass");
  pass.missed = static_cast<std::uint64_t>(fields.whole("missed", 0));
  pass.trigger = fields.text("trigger");
  pass.cadence = fields.text("cadence") == "event" ? eviction::Cadence::kEventOnly
                                                   : eviction::Cadence::kRegular;
  if (fields.has("before")) {
    pass.before = state_from_json(fields.below("before"));
  }
  if (fields.has("waiting_before")) {
    pass.waiting_before = suspended_from_json(fields.below("waiting_before"));
  }
  if (fields.has("observations")) {
    pass.observations =
        read_observations(fields.below("observations"), fields.object("observations"));
  }
  pass.resumed = fields.truth("resumed");
  pass.disk_usage_pending = fields.truth("disk_usage_pending");
  if (fields.has("disk_progress")) {
    pass.disk_progress = static_cast<eviction::DiskProgress>(fields.whole("disk_progress", 0, 2));
  }
  pass.layout = read_layout(fields, "layout");
  const std::size_t pods = fields.list("pods").size();
  for (std::size_t i = 0; i < pods && !fields.failed(); ++i) {
    pass.pods.push_back(read_pod_pass(fields.at("pods", i)));
  }
  for (const Json& entry : fields.list("releasing")) {
    pass.releasing.push_back(read_releasing(fields, entry));
  }
  if (fields.has("brakes")) {
    pass.brakes = read_brakes(fields.below("brakes"));
  }
  pass.dry_run = fields.truth("dry_run");
  for (const Json& place : fields.list("local_signalled")) {
    if (!is_number(place, 0, static_cast<std::int64_t>(pass.pods.size()) - 1)) {
      fields.refuse("local_signalled", "not places of pods");
      return pass;
    }
    pass.local_signalled.push_back(place.get<std::size_t>());
  }
  pass.signal_at = fields.moment_or_null("signal_at");
  pass.decision = fields.object("decision");
  pass.state = fields.object("state");
  return pass;
}

}  // namespace evictd::replay
