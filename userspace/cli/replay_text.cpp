// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/one_line.h"
#include "cli/amount_text.h"
#include "export/json_time.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;
using replay::Comparison;
using replay::Eviction;

std::string wall(MonoTime moment, Duration offset) {
  return exporting::rfc3339(WallTime(moment.time_since_epoch() + offset));
}

std::string why_text(const Eviction& eviction) {
  if (!eviction.local_limit.empty()) {
    return "it exceeds its " + eviction.local_limit;
  }
  return fmt::format("{} had {} left (threshold {})", eviction.signal,
                     amount_text(eviction.signal, eviction.available), eviction.threshold);
}

/// As in the record: rounded up to whole seconds.
std::int64_t grace_seconds(const Eviction& eviction) {
  return std::chrono::ceil<std::chrono::seconds>(eviction.grace).count();
}

std::string eviction_text(const Eviction& eviction, Duration offset) {
  return base::one_line(fmt::format(
      "{} {} {}{}, grace {} s, {}", wall(eviction.at, offset), eviction.name,
      eviction.escalated ? "loses its grace" : "is evicted",
      eviction.dry_run ? " in a dry run" : "", grace_seconds(eviction), why_text(eviction)));
}

std::string signed_duration(Duration duration) {
  return duration < Duration::zero() ? duration_text(-duration) + " earlier"
                                     : duration_text(duration) + " later";
}

/// Whether the kernel's OOM killer is relevant for this line.
bool is_of_memory(const Eviction& eviction) {
  return eviction.signal.find("emory.") != std::string::npos;
}

std::string instead_text(const Comparison& line, Duration offset) {
  if (line.instead) {
    return eviction_text(*line.instead, offset);
  }
  return line.cut_off ? fmt::format("not known: the recording ends {} later, before another pass",
                                    duration_text(*line.cut_off))
                      : "nobody is evicted";
}

void print_comparison(const Comparison& line, Duration offset, std::ostream& out) {
  out << "\nrecorded:   "
      << (line.recorded ? eviction_text(*line.recorded, offset) : "nobody is evicted") << '\n'
      << "would have: " << instead_text(line, offset) << '\n';
  if (line.later) {
    out << "            " << signed_duration(*line.later);
    if (line.more_used) {
      const std::string& signal = line.recorded->signal;
      out << fmt::format(", {} {} used by then", amount_text(signal, std::abs(*line.more_used)),
                         *line.more_used < 0 ? "less" : "more");
      out << (is_count(signal) ? "" : fmt::format(" ({} bytes)", *line.more_used));
    }
    out << '\n';
  }
  if (line.oom_first && line.recorded) {
    out << fmt::format(
        "            the kernel's OOM killer would have come first, {}, when {} is used up at "
        "the recorded rate\n",
        signed_duration(line.oom_first->at - line.recorded->at),
        base::one_line(line.oom_first->signal));
  } else if (line.recorded && !line.cut_off && is_of_memory(*line.recorded)) {
    out << "            the kernel's OOM killer would not have come before, at the recorded rate\n";
  }
}

Json eviction_json(const std::optional<Eviction>& eviction, Duration offset) {
  if (!eviction) {
    return nullptr;
  }
  return {{"time", wall(eviction->at, offset)},
          {"at_ns", eviction->at.time_since_epoch().count()},
          {"pod", eviction->name},
          {"uid", eviction->uid},
          {"outcome", eviction->escalated ? "escalated" : "evicted"},
          {"signal", eviction->signal},
          {"threshold", eviction->threshold},
          {"local_limit", eviction->local_limit},
          {"available", eviction->available},
          {"grace_seconds", grace_seconds(*eviction)},
          {"dry_run", eviction->dry_run}};
}

}  // namespace

void print_verification(const replay::Verification& verification, Duration wall_offset,
                        std::ostream& out) {
  if (verification.gaps != 0) {
    out << fmt::format(
        "{} gaps: {} passes were not recorded; the state after them is taken from "
        "the recording\n",
        verification.gaps, verification.missed);
  }
  if (!verification.difference) {
    out << fmt::format("{} passes, {} of them evict: every decision comes out as recorded\n",
                       verification.passes, verification.evictions);
    return;
  }
  const replay::Difference& difference = *verification.difference;
  out << fmt::format("pass {} at {}: {} differs\n  recorded: {}\n  replayed: {}\n", difference.pass,
                     wall(difference.at, wall_offset), base::one_line(difference.what),
                     base::one_line(difference.recorded), base::one_line(difference.replayed));
}

Json to_json(const replay::Verification& verification, Duration wall_offset) {
  Json difference = nullptr;
  if (verification.difference) {
    const replay::Difference& one = *verification.difference;
    difference = {{"pass", one.pass},
                  {"time", wall(one.at, wall_offset)},
                  {"what", one.what},
                  {"recorded", one.recorded},
                  {"replayed", one.replayed}};
  }
  return {{"identical", !verification.difference.has_value()},
          {"passes", verification.passes},
          {"evictions", verification.evictions},
          {"gaps", verification.gaps},
          {"missed_passes", verification.missed},
          {"difference", std::move(difference)}};
}

void print_counterfactual(const replay::Counterfactual& result, const std::string& changes,
                          Duration wall_offset, std::ostream& out) {
  out << fmt::format("with {}: {} passes would have been run\n", base::one_line(changes),
                     result.passes);
  if (result.evictions.empty()) {
    out << "no pod was evicted, and none would have been\n";
  }
  for (const Comparison& line : result.evictions) {
    print_comparison(line, wall_offset, out);
  }
  for (const auto& [reason, passes] : result.held) {
    out << fmt::format("\nheld by a brake: {} passes ({})\n", passes, base::one_line(reason));
  }
  for (const std::string& text : result.left_out) {
    out << "\nleft out: " << base::one_line(text) << '\n';
  }
}

Json to_json(const replay::Counterfactual& result, Duration wall_offset) {
  Json lines = Json::array();
  for (const Comparison& line : result.evictions) {
    Json oom = nullptr;
    if (line.oom_first && line.recorded) {
      oom = {{"time", wall(line.oom_first->at, wall_offset)},
             {"signal", line.oom_first->signal},
             {"later_ns", (line.oom_first->at - line.recorded->at).count()}};
    }
    lines.push_back({{"recorded", eviction_json(line.recorded, wall_offset)},
                     {"instead", eviction_json(line.instead, wall_offset)},
                     {"later_ns", line.later ? Json(line.later->count()) : Json(nullptr)},
                     {"more_used", line.more_used ? Json(*line.more_used) : Json(nullptr)},
                     {"cut_off_ns", line.cut_off ? Json(line.cut_off->count()) : Json(nullptr)},
                     {"oom_killer_first", line.oom_first.has_value()},
                     {"oom", std::move(oom)}});
  }
  return {{"passes", result.passes},
          {"evictions", std::move(lines)},
          {"held", result.held},
          {"left_out", result.left_out}};
}

}  // namespace evictd::cli
