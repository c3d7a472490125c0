// SPDX-License-Identifier: Apache-2.0
#include "pass/pass_times.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evictd/try.h"
#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

using nlohmann::json;

/// Interval between two reads of evictd's records; evictd returns the last ten of them.
constexpr long kLookNs = 2'000'000;
constexpr std::chrono::seconds kDeadline{120};

std::optional<double> between_us(const json& timeline, const char* from, const char* to) {
  const json start = timeline.value(from, json{});
  const json end = timeline.value(to, json{});
  if (!start.is_number_integer() || !end.is_number_integer()) {
    return std::nullopt;
  }
  return static_cast<double>(end.get<std::int64_t>() - start.get<std::int64_t>()) / 1000;
}

void take(PassTimes& times, const json& timeline) {
  const std::optional<double> taking_in = between_us(timeline, "wake_ns", "begin_ns");
  const std::optional<double> read = between_us(timeline, "begin_ns", "observe_ns");
  const std::optional<double> decide = between_us(timeline, "observe_ns", "decide_ns");
  const std::optional<double> to_signal = between_us(timeline, "wake_ns", "signal_ns");
  if (taking_in && read && decide && to_signal) {
    times.taking_in.add(*taking_in);
    times.read.add(*read);
    times.decide.add(*decide);
    times.whole.add(*read + *decide);
    times.to_signal.add(*to_signal);
  }
}

}  // namespace

void add_later(const PassTimes& taken, PassTimes& times) {
  for (Series PassTimes::*series : {&PassTimes::taking_in, &PassTimes::read, &PassTimes::decide,
                                    &PassTimes::whole, &PassTimes::to_signal}) {
    const std::vector<double>& values = (taken.*series).values();
    for (std::size_t i = 1; i < values.size(); ++i) {
      (times.*series).add(values[i]);
    }
  }
}

Result<> follow_passes(const stage::DaemonProcess& daemon, ForkedProcesses& idle,
                       std::size_t wanted, PassTimes& times) {
  std::set<std::uint64_t> seen;
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (times.whole.size() < wanted) {
    idle.reap();
    EVICTD_ASSIGN_OR_RETURN(const std::string answer, daemon.ask(R"({"op":"last_evictions"})"));
    for (const json& eviction : json::parse(answer, nullptr, false)) {
      if (seen.insert(eviction.value("id", std::uint64_t{0})).second) {
        take(times, eviction.value("timeline", json::object()));
      }
    }
    EVICTD_TRY(Interrupt::check());
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "evictd made only " + std::to_string(times.whole.size()) +
                                       " evictions; its log: " + daemon.log().string());
    }
    const timespec pause{0, kLookNs};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

Result<> take_last_pass(const stage::DaemonProcess& daemon, const std::string& uid,
                        PassTimes& times) {
  EVICTD_ASSIGN_OR_RETURN(const std::string answer, daemon.ask(R"({"op":"last_evictions"})"));
  for (const json& eviction : json::parse(answer, nullptr, false)) {
    if (eviction.value("uid", "") == uid) {
      take(times, eviction.value("timeline", json::object()));
      return {};
    }
  }
  return fail(Errc::kNotFound, "evictd has no record of the pod " + uid);
}

}  // namespace evictd::bench
