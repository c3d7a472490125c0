// SPDX-License-Identifier: Apache-2.0
// A node on which anything may happen: the same things for the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "builders.h"
#include "eviction/ranking.h"
#include "node.h"
#include "support/numbers.h"

namespace evictd::eviction {

using test::GivenNumbers;
using test::Numbers;
using test::SeededNumbers;

/// Whether soft thresholds, minimum reclaim and the like are configured.
enum class Thresholds { kAnyKind, kHardOnly };

class RandomNode {
 public:
  explicit RandomNode(Numbers& numbers, Thresholds kind = Thresholds::kAnyKind)
      : numbers_(numbers), kind_(kind), node_(settings()) {
    const int count = numbers_.up_to(12);
    for (int i = 0; i < count; ++i) {
      add_pod(i);
    }
    if (numbers_.one_in(2)) {
      brakes_.max_evictions_per_minute = static_cast<std::size_t>(numbers_.up_to(3));
      brakes_.growth.memory_per_second = Bytes{numbers_.up_to(200)};
      node_.input().brakes = &brakes_;
    }
  }

  Node& node() { return node_; }
  [[nodiscard]] const Brakes& brakes() const { return brakes_; }

  /// Lets some time pass and the world change.
  void change() {
    node_.pass_time(std::chrono::milliseconds(numbers_.up_to(90'000)));
    for (const Signal signal : kWatched) {
      if (!numbers_.one_in(10)) {
        node_.see(signal, numbers_.up_to(1000), numbers_.one_in(50) ? 0 : 1000);
      }
    }
    for (PassPod& pod : node_.pods()) {
      pod.reading.working_set_bytes = numbers_.up_to(500);
      pod.reading.processes = numbers_.up_to(20);
      pod.standing =
          numbers_.one_in(10) ? static_cast<Standing>(numbers_.up_to(5)) : Standing::kActive;
    }
    node_.releasing().clear();
    if (numbers_.one_in(4)) {
      node_.releasing().push_back(
          {.killed_at = node_.now() - std::chrono::seconds(numbers_.up_to(40)),
           .memory = Bytes{numbers_.up_to(500)},
           .tasks = numbers_.up_to(20)});
    }
    brakes_.recent = begun_;
    brakes_.pauses.all = numbers_.one_in(10) ? node_.now() + 1s : MonoTime{};
    node_.input().cadence = numbers_.one_in(4) ? Cadence::kEventOnly : Cadence::kRegular;
  }

  /// change(), then a pass.
  const Decision& step() {
    change();
    const Decision* decision = &node_.pass();
    if (decision->outcome == Outcome::kReclaiming && numbers_.one_in(2)) {
      decision = &node_.resume(numbers_.one_in(2) ? &node_.seen() : nullptr);
    }
    if (decision->outcome == Outcome::kEvicted) {
      begun_.push_back(node_.now());
    }
    return *decision;
  }

 private:
  static constexpr std::array kWatched{Signal::kMemoryAvailable, Signal::kPidAvailable,
                                       Signal::kNodeFsAvailable};

  PassSettings settings() {
    ThresholdTexts texts;
    for (const std::string signal : {"memory.available", "pid.available", "nodefs.available"}) {
      if (!numbers_.one_in(4)) {
        texts.hard[signal] = std::to_string(1 + numbers_.up_to(400));
      }
      if (kind_ == Thresholds::kAnyKind && !numbers_.one_in(4)) {
        texts.soft[signal] = std::to_string(1 + numbers_.up_to(90)) + "%";
        texts.soft_grace_period[signal] = std::to_string(numbers_.up_to(120)) + "s";
      }
      if (kind_ == Thresholds::kAnyKind && numbers_.one_in(3)) {
        texts.minimum_reclaim[signal] = std::to_string(numbers_.up_to(100));
      }
    }
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    settings.compat = numbers_.one_in(2) ? Compat::k1_26 : Compat::k1_32;
    settings.max_pod_grace = std::chrono::seconds(numbers_.up_to(60));
    return settings;
  }

  void add_pod(int i) {
    PodBuilder built = pod("pod-" + std::to_string(i));
    built.priority(numbers_.one_in(5) ? kCriticalPriority : numbers_.up_to(2));
    if (numbers_.one_in(2)) {
      built.request("memory", std::to_string(numbers_.up_to(300)));
    }
    node_.with(built);
    node_.pods().back().reading.state = static_cast<ReadingState>(numbers_.up_to(2));
  }

  Numbers& numbers_;
  Thresholds kind_;
  Brakes brakes_;
  std::vector<MonoTime> begun_;
  Node node_;
};

/// What must hold of any pass; "" if it does.
inline std::string broken_rule(const Decision& decision, Node& node) {
  const bool acts =
      decision.outcome == Outcome::kEvicted || decision.outcome == Outcome::kEscalated;
  if (acts != decision.victim.has_value()) {
    return "a victim without an eviction, or the other way round";
  }
  if (acts && protection_of(node.pods()[*decision.victim]) != PassOver::kNone) {
    return "a protected victim";
  }
  if (acts && (!decision.threshold || !decision.actionable.has(*decision.threshold))) {
    return "an eviction for no threshold";
  }
  if (decision.next_deadline && *decision.next_deadline <= node.now()) {
    return "a deadline that is not to come";
  }
  if ((decision.outcome == Outcome::kHeld || decision.outcome == Outcome::kFailed) !=
      (decision.reason != Reason::kNone)) {
    return "a hold without a reason, or the other way round";
  }
  return "";
}

}  // namespace evictd::eviction
