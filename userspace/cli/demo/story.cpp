// SPDX-License-Identifier: Apache-2.0
#include "demo/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace evictd::demo {
namespace {

/// A kubelet's period.
constexpr double kPollSeconds = 10;
constexpr double kMiB = 1 << 20;

struct Moment {
  std::optional<double> us;
  std::string what;
};

std::string kill_text(const EvictionRecord& record) {
  if (record.grace_was_cut) {
    return "signal: SIGKILL: the grace was cut, what was left went below the floor "
           "(hardEvictionFloor)";
  }
  return record.grace_was_shortened
             ? "signal: SIGKILL: the grace, shortened to the time left, is over"
             : "signal: SIGKILL: the grace is over";
}

const char* detection_text(const EvictionRecord& record) {
  if (record.hook) {
    return "detection: the kernel program saw it";
  }
  return record.rehearsed
             ? "detection: the kernel program saw it coming, and the rehearsal read past it"
             : "detection: the first reading past the threshold";
}

std::string timeline(const Evidence& evidence) {
  const EvictionRecord record = evidence.record.value_or(EvictionRecord{});
  const auto since = [&evidence](const std::optional<MonoTime>& at) {
    return since_crossing_us(evidence, at);
  };
  const char* unit = evidence.scenario == Scenario::kPids     ? "tasks are"
                     : evidence.scenario == Scenario::kInodes ? "inodes are"
                                                              : "usage is";
  std::vector<Moment> moments{
      {since(evidence.crossing), fmt::format("crossing: {} past the threshold", unit)},
      {since(record.held_for_usage), "held: the pods' disk usage is measured again first"},
      {since(record.wake), "wake: evictd's hot thread runs"},
      {since(detection(evidence)), detection_text(record)},
      {since(record.observe), "observation: all counters are read again"},
      {since(record.decide), "decision: the victim is chosen"},
      {since(record.signal), record.grace_seconds > 0 ? "signal: SIGTERM" : "signal: SIGKILL"},
      {since(evidence.exit), "exit: waitpid returned to the victim's parent"},
      {since(evidence.freed), is_on_disk(evidence.scenario)
                                  ? "freed: its files are gone"
                                  : "freed: the victim's memory is back"}};
  if (record.grace_seconds > 0) {
    moments.push_back({since(record.kill), kill_text(record)});
  }
  std::erase_if(moments, [](const Moment& moment) { return !moment.us; });
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return *a.us < *b.us; });
  std::string text = "\ntimeline, microseconds from the crossing\n";
  for (const Moment& moment : moments) {
    text += fmt::format("  {:>14.1f}  {}\n", *moment.us, moment.what);
  }
  return text;
}

std::string ranking(const Evidence& evidence) {
  std::string text = "\nranking, first to go first\n";
  int place = 0;
  for (const RankedPod& pod : evidence.record.value_or(EvictionRecord{}).ranking) {
    text += fmt::format("  {}. {}: {}\n", ++place, pod.name, pod.reason);
  }
  return text;
}

std::string overshoot(const Evidence& evidence) {
  if (evidence.scenario == Scenario::kPids && !evidence.crossing) {
    return fmt::format("\nnever seen past the threshold; {:.0f} forks a second\n", evidence.rate);
  }
  if (evidence.scenario == Scenario::kPids && evidence.tasks_past == 0) {
    return fmt::format(
        "\npast the threshold for less than the time between two readings; {:.0f} forks a second\n",
        evidence.rate);
  }
  if (evidence.scenario == Scenario::kPids) {
    return fmt::format("\npast the threshold by at most {} tasks; {:.0f} forks a second\n",
                       evidence.tasks_past, evidence.rate);
  }
  if (evidence.inodes_past) {
    return fmt::format("\npast the threshold by at most {} inodes; {:.0f} files a second\n",
                       *evidence.inodes_past, evidence.rate);
  }
  if (!evidence.crossing) {
    return fmt::format("\nnever seen past the threshold, at {:.0f} MiB/s\n",
                       evidence.bytes_per_second / kMiB);
  }
  if (evidence.overshoot.value == 0) {
    return fmt::format(
        "\npast the threshold for less than the time between two readings, at {:.0f} MiB/s\n",
        evidence.bytes_per_second / kMiB);
  }
  return fmt::format("\npast the threshold by at most {:.2f} MiB, at {:.0f} MiB/s\n",
                     static_cast<double>(evidence.overshoot.value) / kMiB,
                     evidence.bytes_per_second / kMiB);
}

/// A threshold is crossed at a random point of a period, so the mean delay is half a period.
std::string delay_of_polling() {
  return fmt::format(
      "polling every {:.0f} s would have seen it {:.0f} s later on average, {:.0f} s at worst",
      kPollSeconds, kPollSeconds / 2, kPollSeconds);
}

/// "9.3 and 18.6 GiB": the growth until detection, on average and at worst.
std::string bytes_polled_too_late(double bytes_per_second) {
  return fmt::format("{:.1f} and {:.1f} GiB", bytes_per_second * kPollSeconds / 2 / (kMiB * 1024),
                     bytes_per_second * kPollSeconds / (kMiB * 1024));
}

std::string tasks_if_polled(const Evidence& evidence) {
  std::string text = delay_of_polling();
  if (evidence.rate <= 0) {
    return text + "\n";
  }
  text += fmt::format(": {:.0f} and {:.0f} tasks at this rate", evidence.rate * kPollSeconds / 2,
                      evidence.rate * kPollSeconds);
  if (evidence.bytes_per_second > 0) {
    text += ", with " + bytes_polled_too_late(evidence.bytes_per_second) + " charged for them";
  }
  return text + fmt::format(
                    "\nthe limit, {} tasks above the threshold, would have been reached after "
                    "{:.2f} s\n",
                    evidence.tasks_headroom,
                    static_cast<double>(evidence.tasks_headroom) / evidence.rate);
}

std::string if_polled(const Evidence& evidence) {
  if (evidence.scenario == Scenario::kPids) {
    return tasks_if_polled(evidence);
  }
  std::string text = delay_of_polling();
  if (evidence.bytes_per_second <= 0) {
    return text + "\n";
  }
  text += ": " + bytes_polled_too_late(evidence.bytes_per_second) + " at this rate\n";
  return text +
         fmt::format(
             "the limit, {:.0f} MiB above the threshold, would have been reached after {:.2f} s\n",
             static_cast<double>(evidence.headroom.value) / kMiB,
             static_cast<double>(evidence.headroom.value) / evidence.bytes_per_second);
}

}  // namespace

std::string tell(const Evidence& evidence, const Script& script) {
  std::string text = timeline(evidence) + ranking(evidence);
  text += fmt::format("  expected: {}, because {}\n", script.expected_victim, script.because);
  text += overshoot(evidence);
  if (!is_on_disk(evidence.scenario)) {
    text += if_polled(evidence);
  }
  text += fmt::format("OOM kills by the kernel: {}\n", evidence.oom_kills);
  return text;
}

}  // namespace evictd::demo
