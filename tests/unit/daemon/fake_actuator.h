// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "enforce/actuator.h"
#include "enforce/kill_target.h"

namespace evictd::daemon {

/// Sends no signal, notes what it is asked for, and goes the steps that the test tells it. The hot
/// thread and the test may use it at once; allocates nothing for the first kKept calls and steps.
class FakeActuator final : public enforce::Actuator {
 public:
  static constexpr std::size_t kKept = 64;
  /// The process that every rehearsed pod has.
  static constexpr pid_t kListed = 4711;
  /// From the call to the stamp of its signal.
  static constexpr Duration kSignalTime = std::chrono::microseconds(30);

  struct Begun {
    CgroupId pod;
    Duration grace{};
    bool hold_tasks = false;
    bool bridge = false;
    enforce::SignalReport report;
    std::optional<MonoTime> killed_by_kernel_at{};
  };
  struct Cut {
    enforce::Ticket ticket;
    /// What is left of the grace.
    Duration rest{};
  };

  FakeActuator() {
    begun_.reserve(kKept);
    cuts_.reserve(kKept);
    ended_.reserve(kKept);
    replaced_.reserve(kKept);
    steps_.reserve(kKept);
  }

  using enforce::Actuator::begin;
  Result<enforce::SignalReport> begin(enforce::KillTarget& target, const enforce::Start& start,
                                      MonoTime now) override {
    const std::scoped_lock lock(mutex_);
    if (refuses_begins_ && (!refused_pod_ || *refused_pod_ == target.id())) {
      const Errc code = *refuses_begins_;
      if (refuses_once_) {
        refuses_begins_.reset();
      }
      return fail(code, "as the test says");
    }
    ++counters_.evictions;
    enforce::SignalReport report =
        signal(enforce::Ticket{.slot = 1, .generation = ++generation_}, start.grace, now);
    if (finishes_later_ && start.killed_by_kernel_at) {
      report.method = enforce::SignalMethod::kKernel;
      report.processes = 0;
      report.first_at = *start.killed_by_kernel_at;
      report.last_at = *start.killed_by_kernel_at;
    }
    begun_.push_back({target.id(), start.grace, start.hold_tasks, start.bridge, report,
                      start.killed_by_kernel_at});
    return report;
  }
  Result<enforce::Ticket> adopt(enforce::KillTarget& /*target*/,
                                const enforce::Adoption& /*adoption*/, MonoTime /*now*/) override {
    return enforce::Ticket{};
  }
  void rehearse(enforce::KillTarget& /*target*/) override {}
  void end_rehearsal() override {}
  [[nodiscard]] std::size_t rehearsed(const enforce::KillTarget& /*target*/,
                                      std::span<pid_t> out) const override {
    out[0] = kListed;
    return 1;
  }
  void practise() override { ++practised; }
  Result<enforce::SignalReport> cut_grace(enforce::Ticket ticket, MonoTime deadline,
                                          MonoTime now) override {
    const std::scoped_lock lock(mutex_);
    if (refuses_cuts_) {
      return fail(*refuses_cuts_, "as the test says");
    }
    cuts_.push_back({.ticket = ticket, .rest = deadline - now});
    return signal(ticket, deadline - now, now);
  }
  [[nodiscard]] std::optional<MonoTime> next_deadline() const override {
    if (each_turn) {
      each_turn();
    }
    return std::nullopt;
  }
  void on_deadline(MonoTime /*now*/) override {}
  [[nodiscard]] int descriptor() const override { return -1; }
  void on_ready(MonoTime /*now*/) override {}
  void on_emptied(CgroupId /*cgroup*/, MonoTime /*now*/) override {}
  std::optional<enforce::Progress> take_progress() override {
    const std::scoped_lock lock(mutex_);
    if (steps_.empty()) {
      return std::nullopt;
    }
    const enforce::Progress step = steps_.front();
    steps_.erase(steps_.begin());
    return step;
  }
  [[nodiscard]] std::size_t in_flight(std::span<enforce::InFlight> /*out*/) const override {
    return 0;
  }
  void replace(enforce::KillTarget& newer) override {
    const std::scoped_lock lock(mutex_);
    replaced_.push_back(newer.uid());
  }
  void end_pretended(enforce::Ticket ticket, MonoTime /*now*/) override {
    const std::scoped_lock lock(mutex_);
    ended_.push_back(ticket);
  }
  void use_roots(std::vector<CgroupId>& roots) override {
    const std::scoped_lock lock(mutex_);
    roots_.swap(roots);
  }
  [[nodiscard]] const enforce::ActuatorCounters& counters() const override { return counters_; }

  // For the test.

  std::atomic<int> practised{0};

  /// Called by the hot thread in each turn of its loop; set before it runs.
  std::function<void()> each_turn;

  /// A step that the hot thread finds at its next turn.
  void go(const enforce::Progress& step) {
    const std::scoped_lock lock(mutex_);
    steps_.push_back(step);
  }
  /// Nothing: no more.
  void refuse_begins(std::optional<Errc> code) {
    const std::scoped_lock lock(mutex_);
    refuses_begins_ = code;
    refuses_once_ = false;
    refused_pod_.reset();
  }
  /// The next one, and none after it.
  void refuse_next_begin(Errc code) {
    refuse_begins(code);
    const std::scoped_lock lock(mutex_);
    refuses_once_ = true;
  }
  /// Those of one pod.
  void refuse_begins_of(CgroupId pod, Errc code) {
    refuse_begins(code);
    const std::scoped_lock lock(mutex_);
    refused_pod_ = pod;
  }
  /// Nobody can be signalled after a kill by the kernel side, yet.
  void finish_kernel_kills_later() {
    const std::scoped_lock lock(mutex_);
    finishes_later_ = true;
  }
  void refuse_cuts(Errc code) {
    const std::scoped_lock lock(mutex_);
    refuses_cuts_ = code;
  }
  [[nodiscard]] std::vector<Begun> begun() const {
    const std::scoped_lock lock(mutex_);
    return begun_;
  }
  [[nodiscard]] std::vector<Cut> cuts() const {
    const std::scoped_lock lock(mutex_);
    return cuts_;
  }
  /// Those that were only pretended.
  [[nodiscard]] std::vector<enforce::Ticket> ended() const {
    const std::scoped_lock lock(mutex_);
    return ended_;
  }
  /// Uids of the pods whose targets were made anew.
  [[nodiscard]] std::vector<std::string> replaced() const {
    const std::scoped_lock lock(mutex_);
    return replaced_;
  }
  /// Those that it was told last.
  [[nodiscard]] std::vector<CgroupId> roots() const {
    const std::scoped_lock lock(mutex_);
    return roots_;
  }

 private:
  static enforce::SignalReport signal(enforce::Ticket ticket, Duration grace, MonoTime now) {
    return {.ticket = ticket,
            .signal = grace <= Duration::zero() ? SIGKILL : SIGTERM,
            .method = enforce::SignalMethod::kPidfds,
            .first_at = now + kSignalTime,
            .last_at = now + kSignalTime,
            .processes = 1};
  }

  mutable std::mutex mutex_;
  std::vector<Begun> begun_;
  std::vector<Cut> cuts_;
  std::vector<enforce::Ticket> ended_;
  std::vector<std::string> replaced_;
  std::vector<CgroupId> roots_;
  std::vector<enforce::Progress> steps_;
  std::optional<Errc> refuses_begins_;
  bool refuses_once_ = false;
  bool finishes_later_ = false;
  std::optional<CgroupId> refused_pod_;
  std::optional<Errc> refuses_cuts_;
  std::uint32_t generation_ = 0;
  enforce::ActuatorCounters counters_;
};

}  // namespace evictd::daemon
