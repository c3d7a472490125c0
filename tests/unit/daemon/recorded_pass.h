// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <list>
#include <string>

#include "daemon/records/record_builder.h"

namespace evictd::daemon {

inline constexpr MonoTime kPassAt{std::chrono::seconds(100)};

/// A pass over pods that a test adds.
class RecordedPass : public testing::Test {
 protected:
  struct Added {
    std::string name;
    Bytes usage{0};
    Bytes request{0};
    std::int32_t priority = 0;
    std::int64_t tasks = 1;
  };

  HotPod& add(const Added& added) {
    HotPod& pod = pods_.emplace_back();
    pod.uid = "uid-" + added.name;
    pod.ns = "test";
    pod.name = added.name;
    pod.facts.priority = added.priority;
    pod.facts.memory_request_nanos = eviction::Wide{added.request.value} * 1'000'000'000;
    PassCopy::PodCopy copy;
    copy.pod = &pod;
    copy.pass.facts = &pod.facts;
    copy.pass.reading = {.state = eviction::ReadingState::kRead,
                         .working_set_bytes = added.usage.value,
                         .processes = added.tasks,
                         .disk = {}};
    copy.usage.usage = added.usage;
    copy.usage.read_at = kPassAt - std::chrono::microseconds(7);
    copy_.pods.push_back(copy);
    return pod;
  }
  [[nodiscard]] std::vector<exporting::RecordedCandidate> ranking(
      eviction::Signal signal = eviction::Signal::kMemoryAvailable) const {
    return make_ranking(copy_, signal, kPassAt);
  }

  std::list<HotPod> pods_;
  PassCopy copy_;
};

/// An eviction of the pod "hog" for memory.
class RecordedEviction : public RecordedPass {
 protected:
  RecordedEviction() {
    eviction::Threshold hard;
    hard.signal = eviction::Signal::kMemoryAvailable;
    hard.value.quantity = eviction::Quantity((100_MiB).value, eviction::QuantityFormat::kBinarySI);
    eviction::Threshold unseen;
    unseen.signal = eviction::Signal::kPidAvailable;
    unseen.value.percentage = 0.1F;
    unseen.grace_period = std::chrono::seconds(30);
    thresholds_ = eviction::ThresholdTable::create({hard, unseen}).value();
    hog_ = &add({.name = "hog", .usage = 900_MiB});
    copy_.observations[eviction::Signal::kMemoryAvailable] = eviction::Observation{
        .available = (60_MiB).value, .capacity = (1000_MiB).value, .time = kPassAt};
    copy_.decision.met.add(0);
    copy_.decision.actionable.add(0);
  }

  [[nodiscard]] PassDone done(std::chrono::seconds grace = std::chrono::seconds(0)) const {
    PassDone made;
    made.trigger = PassTrigger::kCrossing;
    made.timeline.hook_at = kPassAt - std::chrono::microseconds(50);
    made.timeline.observe_at = kPassAt;
    EvictionBegun begun;
    begun.victim = hog_;
    begun.signals.method = enforce::SignalMethod::kCgroupKill;
    begun.signals.processes = 2;
    begun.grace = grace;
    made.begun = begun;
    made.copy = std::make_unique<PassCopy>(copy_);
    return made;
  }

  eviction::ThresholdTable thresholds_;
  HotPod* hog_ = nullptr;
};

}  // namespace evictd::daemon
