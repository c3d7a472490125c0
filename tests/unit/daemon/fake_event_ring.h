// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/timer.h"
#include "core/clock.h"
#include "evictd/cgroup_id.h"
#include "probe/event_ring.h"

namespace evictd::daemon {

/// A ring of hints that come when the test says, by the clock of the hot thread, of crossings and
/// of cgroups that got a process.
class FakeEventRing final : public probe::EventRing {
 public:
  explicit FakeEventRing(const core::Clock& clock) : clock_(clock) { waiting_.reserve(kMost); }

  [[nodiscard]] int event_fd() const override { return wake_.descriptor(); }
  probe::Drained drain(probe::EventSink& sink) override {
    wake_.consume();
    const std::scoped_lock lock(mutex_);
    drained_at_ = clock_.now();
    const auto due = std::partition(waiting_.begin(), waiting_.end(),
                                    [this](const auto& one) { return one.at > drained_at_; });
    std::for_each(due, waiting_.end(), [&](const auto& one) { sink.on_approach(one); });
    const auto delivered = static_cast<std::uint32_t>(waiting_.end() - due);
    waiting_.erase(due, waiting_.end());
    if (crossed_) {
      probe::ThresholdCrossed event;
      event.threshold_id = *crossed_;
      event.direction = probe::Direction::kUp;
      event.at = drained_at_;
      sink.on_threshold(event);
      crossed_.reset();
    }
    if (filled_) {
      probe::CgroupChanged event;
      event.change = probe::CgroupChange::kPopulated;
      event.cgroup = *filled_;
      event.path = path_of_filled_;
      event.at = drained_at_;
      sink.on_cgroup(event);
      filled_.reset();
    }
    return {.delivered = delivered, .newly_dropped = 0};
  }
  [[nodiscard]] Result<> resync() override { return {}; }

  // For the test.

  /// That a threshold of the node's memory is `away`, told at `at`.
  void hint(MonoTime at, std::chrono::microseconds away) {
    constexpr std::uint64_t kBytesASecond = 1'000'000;
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({.signal = probe::Signal::kNodeWorkingSet,
                        .cgroup = {},
                        .distance = static_cast<std::uint64_t>(away.count()),
                        .rate = kBytesASecond,
                        .cpu = 0,
                        .at = at});
  }
  void tell() const { wake_.signal(); }
  /// Tells that the watched level `id` was crossed.
  void tell_crossed(std::uint64_t id) {
    {
      const std::scoped_lock lock(mutex_);
      crossed_ = id;
    }
    tell();
  }
  /// Tells that `cgroup` got a process.
  void tell_filled(CgroupId cgroup, std::string path = "") {
    {
      const std::scoped_lock lock(mutex_);
      filled_ = cgroup;
      path_of_filled_ = std::move(path);
    }
    tell();
  }
  /// Until the hot thread has looked at the ring at `at` or later, by its own clock. The deadline
  /// is for failure only.
  [[nodiscard]] bool looked_at(MonoTime at) const {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < give_up) {
      {
        const std::scoped_lock lock(mutex_);
        if (drained_at_ >= at) {
          return true;
        }
      }
      std::this_thread::yield();
    }
    return false;
  }

 private:
  static constexpr std::size_t kMost = 8;

  const core::Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<probe::Approach> waiting_;
  std::optional<CgroupId> filled_;
  std::string path_of_filled_;
  std::optional<std::uint64_t> crossed_;
  MonoTime drained_at_{};
  base::WakeUp wake_{base::WakeUp::create().value()};
};

}  // namespace evictd::daemon
