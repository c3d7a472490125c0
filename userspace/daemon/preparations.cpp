// SPDX-License-Identifier: Apache-2.0
#include "daemon/preparations.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "config/engine_configuration.h"
#include "config/pass_settings.h"
#include "daemon/hot/hot_pod.h"
#include "daemon/zeroing.h"
#include "evictd/try.h"
#include "notify/loader.h"
#include "probe/features.h"

namespace evictd::daemon {

namespace {

/// Notifications get one of so many parts of the descriptors: pods come first.
constexpr std::uint64_t kNotifyPart = 8;
/// Some thousand registrations of two descriptors each.
constexpr std::uint64_t kMostForNotify = 8192;

/// A pass needs some 100 us, in which 4 KiB pages grow by less than the smaller margin.
constexpr Bytes kMargin = 1_MiB;
constexpr Bytes kMarginOfHugePages = 4_MiB;

bool uses_huge_pages() {
  const std::string modes = probe::read_text("/sys/kernel/mm/transparent_hugepage/enabled");
  return !modes.empty() && modes.find("[never]") == std::string::npos;
}

std::optional<Bytes> backstop_margin_of(const config::Settings& settings) {
  const std::optional<Bytes>& margin = settings.in_kernel_brake.margin;
  switch (settings.in_kernel_brake_mode()) {
    case config::InKernelBrake::kOff:
      return std::nullopt;
    case config::InKernelBrake::kBackstop:
      return margin ? *margin : uses_huge_pages() ? kMarginOfHugePages : kMargin;
    case config::InKernelBrake::kImmediate:
      return Bytes{0};
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<HotConfig>> hot_config_of(const config::Config& config,
                                                 const eviction::GrowthLimits& growth) {
  const config::Settings& settings = config.settings();
  EVICTD_ASSIGN_OR_RETURN(eviction::EvictionManager manager,
                          eviction::EvictionManager::create(config::pass_settings_of(config)));
  auto hot = std::make_unique<HotConfig>(std::move(manager));
  hot->pid_source = settings.pid_available_source;
  hot->memory = settings.memory;
  config::configure(*hot, settings);
  hot->growth = growth;
  hot->backstop_margin = backstop_margin_of(settings);
  hot->interval.longest = settings.poll_interval;
  if (settings.adaptive_polling.enabled) {
    hot->interval.mode = poll::IntervalMode::kAdaptive;
    hot->interval.longest = settings.adaptive_polling.max;
    hot->interval.shortest = settings.adaptive_polling.min;
  }
  return hot;
}

eviction::Machine measure_machine(const core::Clock& clock) {
  return {.zeroed_per_second = measure_zeroing(clock),
          .cpus = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L),
          .memory = Bytes{::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE)}};
}

bool events_tell_pods(const config::Settings& settings, const probe::Ladder& ladder) {
  return !settings.faults.drop_kernel_events && !ladder.chosen(probe::Purpose::kCgroups).empty();
}

std::string notify_hook(const config::Settings& settings) {
  if (settings.event_source == config::EventSource::kPoll) {
    return "none";
  }
  const auto pin = settings.attach_pins.find(std::string(notify::kPurpose));
  return pin == settings.attach_pins.end() ? "" : pin->second;
}

std::string no_notify_hook_because(const config::Settings& settings) {
  if (settings.event_source == config::EventSource::kPoll) {
    return "eventSource is poll";
  }
  return notify_hook(settings) == "none" ? fmt::format("attachPins[{}] is none", notify::kPurpose)
                                         : "";
}

std::uint64_t notify_descriptors(const config::Settings& settings, std::uint64_t limit) {
  return settings.notify_socket.empty() ? 0 : std::min(limit / kNotifyPart, kMostForNotify);
}

Result<probe::Options> probe_options_of(const config::Settings& settings) {
  probe::Options options;
  options.sweep.base_period = settings.sweep.base_period;
  options.sweep.floor = settings.sweep.floor;
  options.sweep.kick_window = settings.sweep.kick_window;
  options.sweep.near_distance = settings.sweep.near_distance;
  options.sweep.rate_up = static_cast<std::uint64_t>(settings.sweep.rate_up.value);
  options.sweep.rate_down = static_cast<std::uint64_t>(settings.sweep.rate_down.value);
  options.sweep.fast_tick_burst = settings.sweep.fast_tick_burst;
  options.sweep.fast_ticks_per_second = settings.sweep.fast_ticks_per_second;
  options.per_page_hook = settings.per_page_hook;
  options.backstop = settings.in_kernel_brake_mode() != config::InKernelBrake::kOff;
  options.backstop_by_default = !settings.in_kernel_brake.mode;
  options.max_slots = kMaxPods;
  options.stall_notice = settings.stall.notice;
  options.stall_window = settings.stall.window;
  options.custom_btf_path = settings.custom_btf_path;
  options.drop_all_events = settings.faults.drop_kernel_events;
  for (const auto& [name, row] : settings.attach_pins) {
    if (name == notify::kPurpose) {
      continue;
    }
    const std::optional<probe::Purpose> purpose = probe::purpose_of(name);
    if (!purpose) {
      return fail(Errc::kInvalid, "attach: " + name + " is no purpose of the attach ladder");
    }
    options.pins[*purpose] = row;
  }
  return options;
}

}  // namespace evictd::daemon
