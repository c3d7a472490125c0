// SPDX-License-Identifier: Apache-2.0
#include "demo/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace evictd::demo {
namespace {

using nlohmann::ordered_json;

/// The hog must reach at least this share of its rate alone.
constexpr double kLeastShareOfRate = 0.5;
constexpr double kBytesPerMiB = 1 << 20;

ordered_json microseconds(const std::optional<double>& us) {
  return us ? ordered_json(std::round(*us * 10) / 10) : ordered_json(nullptr);
}

std::string way_left(const Evidence& evidence) {
  const std::int64_t left = evidence.short_of.value_or(0);
  return evidence.scenario == Scenario::kPids
             ? fmt::format("{} tasks", left)
             : fmt::format("{:.2f} MiB", static_cast<double>(left) / kBytesPerMiB);
}

}  // namespace

Outcome judge(const Evidence& evidence) {
  if (evidence.oom_kills != 0) {
    return Outcome::kOomKill;
  }
  if (evidence.victim.empty()) {
    return Outcome::kNobodyDied;
  }
  if (evidence.victim != evidence.expected_victim) {
    return Outcome::kWrongVictim;
  }
  if (evidence.other_deaths != 0) {
    return Outcome::kOthersDied;
  }
  if (!evidence.record) {
    return Outcome::kNoRecord;
  }
  if (!evidence.crossing) {
    return evidence.short_of ? Outcome::kKilledEarly : Outcome::kNotSeen;
  }
  if (evidence.rate < kLeastShareOfRate * evidence.unmanaged_rate) {
    return Outcome::kHeldBack;
  }
  return Outcome::kAsExpected;
}

std::string explain(Outcome outcome, const Evidence& evidence) {
  switch (outcome) {
    case Outcome::kAsExpected:
      return evidence.victim + " was evicted, as a kubelet would have done";
    case Outcome::kWrongVictim:
      return evidence.victim + " died, and " + evidence.expected_victim + " should have";
    case Outcome::kNobodyDied:
      return "no pod died in time";
    case Outcome::kOthersDied:
      return evidence.victim + " died, and another pod with it";
    case Outcome::kOomKill:
      return "the kernel's OOM killer was first";
    case Outcome::kNoRecord:
      return "evictd has no record of the eviction";
    case Outcome::kKilledEarly:
      return evidence.victim + " was evicted before the threshold was crossed: it was seen " +
             way_left(evidence) + " below it and no nearer";
    case Outcome::kNotSeen:
      return "the hog died before it was seen past the threshold, so this run measures nothing";
    case Outcome::kHeldBack:
      return "the hog did only " +
             std::to_string(static_cast<int>(100 * evidence.rate / evidence.unmanaged_rate)) +
             " % of its rate alone, so this run proves nothing";
  }
  return {};
}

int exit_status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAsExpected:
      return 0;
    case Outcome::kNotSeen:
    case Outcome::kHeldBack:
      return kExitVoid;
    case Outcome::kWrongVictim:
    case Outcome::kNobodyDied:
    case Outcome::kOthersDied:
    case Outcome::kOomKill:
    case Outcome::kNoRecord:
    case Outcome::kKilledEarly:
      return kExitWrongOutcome;
  }
  return kExitWrongOutcome;
}

std::optional<double> since_crossing_us(const Evidence& evidence,
                                        const std::optional<MonoTime>& at) {
  if (!evidence.crossing || !at) {
    return std::nullopt;
  }
  return static_cast<double>((*at - *evidence.crossing).count()) / 1000;
}

std::optional<MonoTime> detection(const Evidence& evidence) {
  if (!evidence.record) {
    return std::nullopt;
  }
  const EvictionRecord& record = *evidence.record;
  if (record.hook) {
    return record.hook;
  }
  return record.first_met ? record.first_met : record.observe;
}

std::string to_json(const Evidence& evidence) {
  const EvictionRecord record = evidence.record.value_or(EvictionRecord{});
  const auto since = [&evidence](const std::optional<MonoTime>& at) {
    return microseconds(since_crossing_us(evidence, at));
  };
  ordered_json object;
  object["scenario"] = name_of(evidence.scenario);
  object["event_source"] = name_of(evidence.event_source);
  object["hooks"] = record.hooks;
  object["grace_seconds"] = evidence.grace_seconds;
  object["victim"] =
      evidence.victim.empty() ? ordered_json(nullptr) : ordered_json(evidence.victim);
  object["expected_victim"] = evidence.expected_victim;
  object["crossing_to_detection_us"] = since(detection(evidence));
  object["crossing_to_wake_us"] = since(record.wake);
  object["crossing_to_sigkill_us"] = since(record.kill);
  object["crossing_to_exit_us"] = since(evidence.exit);
  object["crossing_to_freed_us"] = since(evidence.freed);
  // The object is the same for all scenarios; in the inodes scenario its quantities are inodes.
  object["overshoot_bytes"] = evidence.inodes_past.value_or(evidence.overshoot.value);
  object["hog_bytes_per_second"] =
      std::llround(evidence.inodes_past ? evidence.rate : evidence.bytes_per_second);
  object["oom_kills"] = evidence.oom_kills;
  return object.dump();
}

}  // namespace evictd::demo
