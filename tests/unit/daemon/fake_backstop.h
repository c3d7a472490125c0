// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "probe/backstop.h"

namespace evictd::daemon {

/// Keeps the plans that it is given, and carries one out if the test says so. The hot thread and
/// the test may use it at once.
class FakeBackstop final : public probe::Backstop {
 public:
  struct Plan {
    /// Without its spans.
    probe::BackstopOrder order;
    std::vector<probe::BackstopPod> rivals;
    std::vector<pid_t> processes;
  };

  void arm(const probe::BackstopOrder& order) override {
    const std::scoped_lock lock(mutex_);
    Plan plan{.order = order,
              .rivals = {order.rivals.begin(), order.rivals.end()},
              .processes = {order.processes.begin(), order.processes.end()}};
    plan.order.rivals = {};
    plan.order.processes = {};
    plans_.push_back(std::move(plan));
    armed_ = true;
  }
  std::optional<probe::BackstopFiring> disarm(MonoTime now) override {
    const std::scoped_lock lock(mutex_);
    if (!armed_ || !fires_) {
      armed_ = false;
      return std::nullopt;
    }
    armed_ = false;
    fires_ = false;
    probe::BackstopFiring firing{.at = now};
    firing.answers[0] = {.code = 0, .count = 2};
    firing.answer_count = 1;
    return firing;
  }
  [[nodiscard]] probe::BackstopCounters counters() const override { return {}; }

  // For the test.

  /// Carries out the next plan.
  void fire() {
    const std::scoped_lock lock(mutex_);
    fires_ = true;
  }
  [[nodiscard]] std::vector<Plan> plans() const {
    const std::scoped_lock lock(mutex_);
    return plans_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Plan> plans_;
  bool armed_ = false;
  bool fires_ = false;
};

}  // namespace evictd::daemon
