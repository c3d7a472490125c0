// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probe/probe.h"

namespace evictd::test {

/// A CgroupChanged that outlives the call.
struct KeptChange {
  probe::CgroupChanged event;
  std::string path;
};

/// Keeps every event, and waits for them on the ring's descriptor.
class Recorder final : public probe::EventSink {
 public:
  explicit Recorder(probe::Probe& probe) : probe_(probe) {}

  void on_threshold(const probe::ThresholdCrossed& event) override { thresholds.push_back(event); }
  void on_stall(const probe::StallRising& event) override { stalls.push_back(event); }
  void on_cgroup(const probe::CgroupChanged& event) override {
    changes.push_back({.event = event, .path = std::string(event.path)});
  }
  void on_approach(const probe::Approach& event) override { approaches.push_back(event); }
  void on_oom_kill(const probe::OomKill& event) override { oom_kills.push_back(event); }

  /// Drains until `done`; false after 10 s without it, which is a failure and never a measurement.
  bool wait_until(const std::function<bool()>& done);
  /// Drains what is there now.
  probe::Drained drain() { return probe_.drain(*this); }
  /// Waits for the next crossing of `id` after those seen so far.
  bool wait_for(std::uint64_t id, probe::Direction direction);
  [[nodiscard]] std::size_t count(std::uint64_t id, probe::Direction direction) const;
  /// The first crossing of `id` that way. What a whole node uses may fall back at once, with
  /// whatever else runs on it, so the last record need not be the one that a test waited for. Fails
  /// the test, with an empty record, where there is none.
  [[nodiscard]] probe::ThresholdCrossed first(std::uint64_t id, probe::Direction direction) const;

  std::vector<probe::ThresholdCrossed> thresholds;
  std::vector<probe::StallRising> stalls;
  std::vector<KeptChange> changes;
  std::vector<probe::OomKill> oom_kills;
  std::vector<probe::Approach> approaches;

 private:
  probe::Probe& probe_;
};

/// A loaded probe; the test fails with the whole ladder if there is none.
std::unique_ptr<probe::Probe> load_probe(const probe::Options& options = {});

}  // namespace evictd::test
