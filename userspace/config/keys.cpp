// SPDX-License-Identifier: Apache-2.0
#include "config/keys.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "config/brake_fields.h"
#include "config/eviction_fields.h"
#include "config/field_readers.h"
#include "config/key_kinds.h"
#include "config/poll_interval.h"
#include "config/process_keys.h"
#include "config/reserved_fields.h"
#include "config/storage_keys.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Effect kReload = Effect::kReload;
constexpr Effect kRestart = Effect::kRestart;

/// The kubelet stores these seconds in 32 bits and accepts a sign.
constexpr Range<std::int64_t> kSeconds32{std::numeric_limits<std::int32_t>::min(),
                                         std::numeric_limits<std::int32_t>::max()};

constexpr Choices<eviction::Compat, 2> kCompatibilities{
    {{"1.32", eviction::Compat::k1_32}, {"1.26", eviction::Compat::k1_26}}};
constexpr Choices<EventSource, 3> kEventSources{
    {{"auto", EventSource::kAuto}, {"bpf", EventSource::kBpf}, {"poll", EventSource::kPoll}}};
constexpr Choices<CgroupDriver, 3> kCgroupDrivers{{{"auto", CgroupDriver::kAuto},
                                                   {"cgroupfs", CgroupDriver::kCgroupfs},
                                                   {"systemd", CgroupDriver::kSystemd}}};
constexpr Choices<PidAvailableSource, 2> kPidAvailableSources{
    {{"node", PidAvailableSource::kNode}, {"podRoot", PidAvailableSource::kPodRoot}}};
constexpr Choices<eviction::MemorySource, 2> kMemorySources{
    {{"kubelet", eviction::MemorySource::kKubelet},
     {"memAvailable", eviction::MemorySource::kMemAvailable}}};
constexpr Choices<eviction::GracePolicy, 2> kGracePolicies{
    {{"kubelet", eviction::GracePolicy::kKubelet},
     {"predicted", eviction::GracePolicy::kPredicted}}};
constexpr Choices<GraceBridge, 2> kGraceBridges{
    {{"off", GraceBridge::kOff}, {"memoryHigh", GraceBridge::kMemoryHigh}}};
constexpr Choices<InKernelBrake, 3> kInKernelBrakes{{{"off", InKernelBrake::kOff},
                                                     {"backstop", InKernelBrake::kBackstop},
                                                     {"immediate", InKernelBrake::kImmediate}}};
constexpr Choices<bool, 2> kOnOrOff{{{"on", true}, {"off", false}}};
/// Writes values that JSON can represent directly.
constexpr auto kAsItIs = [](const auto& value) { return nlohmann::ordered_json(value); };
/// An empty map is {} and not null.
constexpr auto kAsObject = [](const std::map<std::string, std::string>& map) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, text] : map) {
    object[name] = text;
  }
  return object;
};

Result<std::chrono::seconds> read_seconds(const Value& value, Range<std::int64_t> range) {
  return read_integer(value, range).map([](std::int64_t n) { return std::chrono::seconds(n); });
}

/// A map of signals is read by the rules of the compatibility, which is read first.
Key signal_map_key(const std::string& name, SignalMap which,
                   std::map<std::string, std::string> EvictionSettings::*member) {
  const auto reach = field(&Settings::eviction, member);
  return Key{.name = name,
             .effect = kReload,
             .read = [which, reach](const Value& value, Settings& settings) -> Result<> {
               EVICTD_ASSIGN_OR_RETURN(auto texts,
                                       read_signal_map(value, which, settings.compatibility));
               reach(settings) = std::move(texts);
               return {};
             },
             .write = [reach](const Settings& settings) { return kAsObject(reach(settings)); },
             .copy = [reach](const Settings& from, Settings& to) { reach(to) = reach(from); },
             .entries = reach};
}

Key reserved_key(const std::string& name,
                 std::map<std::string, std::string> NodeAllocatableSettings::*member) {
  const auto reach = field(&Settings::node_allocatable, member);
  Key key = make_key(name, kReload, reach, read_reserved, kAsObject);
  key.entries = reach;
  return key;
}

void append(std::vector<Key>& keys, std::vector<Key> more) {
  std::move(more.begin(), more.end(), std::back_inserter(keys));
}

std::vector<Key> kubelet_keys() {
  const auto in_eviction = [](auto member) { return field(&Settings::eviction, member); };
  return {
      signal_map_key("evictionHard", SignalMap::kHard, &EvictionSettings::hard),
      signal_map_key("evictionSoft", SignalMap::kSoft, &EvictionSettings::soft),
      signal_map_key("evictionSoftGracePeriod", SignalMap::kSoftGracePeriod,
                     &EvictionSettings::soft_grace_period),
      signal_map_key("evictionMinimumReclaim", SignalMap::kMinimumReclaim,
                     &EvictionSettings::minimum_reclaim),
      duration_key("evictionPressureTransitionPeriod", kReload,
                   in_eviction(&EvictionSettings::pressure_transition_period),
                   {Duration{0}, hours(24 * 365)}),
      make_key(
          "evictionMaxPodGracePeriod", kReload,
          in_eviction(&EvictionSettings::max_pod_grace_period),
          [](const Value& value) { return read_seconds(value, kSeconds32); },
          [](std::chrono::seconds grace) { return grace.count(); }),
      make_key("enforceNodeAllocatable", kReload,
               in_eviction(&EvictionSettings::enforce_node_allocatable),
               read_enforce_node_allocatable, kAsItIs),
      reserved_key("systemReserved", &NodeAllocatableSettings::system_reserved),
      reserved_key("kubeReserved", &NodeAllocatableSettings::kube_reserved),
      bool_key("experimentalAllocatableIgnoreEviction", kReload,
               field(&Settings::node_allocatable, &NodeAllocatableSettings::ignore_eviction)),
      bool_key("cgroupsPerQOS", kReload,
               field(&Settings::node_allocatable, &NodeAllocatableSettings::cgroups_per_qos)),
      text_key("cgroupRoot", kRestart, field(&Settings::cgroup_root), read_path),
      choice_key("cgroupDriver", kRestart, field(&Settings::cgroup_driver), kCgroupDrivers),
  };
}

std::vector<Key> decision_keys() {
  return {
      choice_key("compatibility", kRestart, field(&Settings::compatibility), kCompatibilities),
      make_key(
          "hardEvictionGracePeriodSeconds", kReload,
          field(&Settings::hard_eviction, &HardEvictionSettings::grace_period),
          [](const Value& value) {
            return read_seconds(value, {0, 86400}).map([](std::chrono::seconds grace) {
              return std::optional(grace);
            });
          },
          [](const std::optional<std::chrono::seconds>& grace) {
            return grace ? nlohmann::ordered_json(grace->count()) : nlohmann::ordered_json();
          }),
      make_key("hardEvictionFloor", kReload,
               field(&Settings::hard_eviction, &HardEvictionSettings::floor), read_floor,
               write_floor),
      choice_key("hardEvictionGracePolicy", kReload,
                 field(&Settings::hard_eviction, &HardEvictionSettings::grace_policy),
                 kGracePolicies),
      choice_key("graceBridge", kReload, field(&Settings::grace_bridge), kGraceBridges),
      choice_key("oomGuard", kReload,
                 field(&Settings::hard_eviction, &HardEvictionSettings::oom_guard), kOnOrOff),
      bool_key("dryRun", kReload, field(&Settings::dry_run)),
      choice_key("pidAvailableSource", kReload, field(&Settings::pid_available_source),
                 kPidAvailableSources),
      choice_key("memoryAvailableSource", kReload,
                 field(&Settings::memory, &eviction::MemoryRules::source), kMemorySources),
      bool_key("swapAware", kReload, field(&Settings::memory, &eviction::MemoryRules::swap_aware)),
      bool_key("hugepageAware", kReload,
               field(&Settings::memory, &eviction::MemoryRules::hugepage_aware)),
  };
}

std::vector<Key> brake_keys() {
  return {
      // The maximum that a pass can remember.
      integer_key("maxEvictionsPerMinute", kReload,
                  field(&Settings::brakes, &BrakeSettings::max_evictions_per_minute), {0, 120}),
      make_key(
          "neverEvict.namespaces", kReload,
          [](auto& settings) -> auto& { return settings.brakes.never_evict.namespaces; },
          read_namespaces, kAsItIs),
      make_key(
          "neverEvict.labels", kReload,
          [](auto& settings) -> auto& { return settings.brakes.never_evict.labels; },
          read_label_rules, write_label_rules),
      optional_choice_key("inKernelBrake", kRestart,
                          field(&Settings::in_kernel_brake, &InKernelBrakeSettings::mode),
                          kInKernelBrakes),
      make_key(
          "brakeMargin", kReload, field(&Settings::in_kernel_brake, &InKernelBrakeSettings::margin),
          [](const Value& value) {
            return read_bytes(value, {0_KiB, 1_GiB}).map([](Bytes margin) {
              return std::optional(margin);
            });
          },
          [](const std::optional<Bytes>& margin) {
            return margin ? nlohmann::ordered_json(format_bytes(*margin))
                          : nlohmann::ordered_json();
          }),
  };
}

std::vector<Key> pod_keys() {
  return {
      make_key("manifestDirectories", kRestart, field(&Settings::manifest_directories),
               read_path_list, kAsItIs),
      make_key("staticManifestDirectories", kRestart, field(&Settings::static_manifest_directories),
               read_path_list, kAsItIs),
      bool_key("evictUnknownPods", kReload, field(&Settings::evict_unknown_pods)),
      make_key("podGlobs", kRestart, field(&Settings::pod_globs), read_pod_globs, write_pod_globs),
      text_key("nodeName", kRestart, field(&Settings::node_name), read_text),
  };
}

std::vector<Key> event_keys() {
  return {
      choice_key("eventSource", kRestart, field(&Settings::event_source), kEventSources),
      duration_key("pollInterval", kReload, field(&Settings::poll_interval), kPollIntervals),
      bool_key("adaptivePolling.enabled", kReload,
               field(&Settings::adaptive_polling, &AdaptivePolling::enabled)),
      duration_key("adaptivePolling.min", kReload,
                   field(&Settings::adaptive_polling, &AdaptivePolling::min),
                   {milliseconds(10), hours(1)}),
      duration_key("adaptivePolling.max", kReload,
                   field(&Settings::adaptive_polling, &AdaptivePolling::max),
                   {milliseconds(10), hours(1)}),
      bytes_key("hysteresis.memory", kReload,
                field(&Settings::hysteresis, &HysteresisSettings::memory), {0_KiB, 1024_GiB}),
      integer_key("hysteresis.tasks", kReload,
                  field(&Settings::hysteresis, &HysteresisSettings::tasks), {0, 1'000'000}),
      duration_key("stall.notice", kRestart, field(&Settings::stall, &StallSettings::notice),
                   {milliseconds(1), minutes(1)}),
      duration_key("stall.window", kRestart, field(&Settings::stall, &StallSettings::window),
                   {milliseconds(10), minutes(1)}),
  };
}

std::vector<Key> kernel_keys() {
  const auto in_sweep = [](auto member) { return field(&Settings::sweep, member); };
  // From a slow disk to well above what any memory bus moves.
  constexpr Range<Bytes> kRates{1_MiB, 1024_GiB};
  return {
      make_key("attachPins", kRestart, field(&Settings::attach_pins), read_attach_pins, kAsObject),
      bool_key("perPageHook", kRestart, field(&Settings::per_page_hook)),
      text_key("customBtfPath", kRestart, field(&Settings::custom_btf_path), read_path),
      duration_key("sweep.basePeriod", kRestart, in_sweep(&SweepSettings::base_period),
                   {milliseconds(1), seconds(10)}),
      duration_key("sweep.floor", kRestart, in_sweep(&SweepSettings::floor),
                   {microseconds(10), milliseconds(10)}),
      bytes_key("sweep.nearDistance", kRestart, in_sweep(&SweepSettings::near_distance),
                {64_KiB, 1_GiB}),
      bytes_key("sweep.rateUp", kRestart, in_sweep(&SweepSettings::rate_up), kRates),
      bytes_key("sweep.rateDown", kRestart, in_sweep(&SweepSettings::rate_down), kRates),
      duration_key("sweep.kickWindow", kRestart, in_sweep(&SweepSettings::kick_window),
                   {milliseconds(1), seconds(1)}),
      integer_key("sweep.fastTickBurst", kRestart, in_sweep(&SweepSettings::fast_tick_burst),
                  {1, 1'000'000}),
      integer_key("sweep.fastTicksPerSecond", kRestart,
                  in_sweep(&SweepSettings::fast_ticks_per_second), {1, 100'000}),
  };
}

}  // namespace

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all = decision_keys();
    // The version selects the rules for everything after it, so it stays first.
    append(all, brake_keys());
    append(all, kubelet_keys());
    append(all, pod_keys());
    append(all, storage_keys());
    append(all, event_keys());
    append(all, kernel_keys());
    append(all, process_keys());
    return all;
  }();
  return keys;
}

const Key* find_key(std::string_view name) {
  const std::vector<Key>& keys = all_keys();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> names_in(std::string_view group) {
  const std::string prefix = group.empty() ? std::string() : std::string(group) + '.';
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (!key.name.starts_with(prefix)) {
      continue;
    }
    const std::string rest = key.name.substr(prefix.size());
    std::string name = rest.substr(0, rest.find('.'));
    if (names.empty() || names.back() != name) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

std::string_view ignored_key_reason(std::string_view name) {
  return name == "kernelMemcgNotification" ? "eventSource decides how crossings are noticed"
                                           : std::string_view();
}

}  // namespace evictd::config
