// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "enforce/actuator.h"
#include "enforce/eviction_table.h"

namespace evictd::enforce {

/// Passes through the states of an eviction on time and touches nothing: no signal, no write, no
/// read. As in a real run, it gives up a pod that became protected in its grace period.
/// After the omitted SIGKILL it keeps the eviction for a while. Otherwise a threshold that stays
/// met would choose the same victim in every pass. end_pretended() ends this time early.
class DryRunActuator final : public Actuator {
 public:
  struct Options {
    /// Borrowed; stamps the signals that are not sent.
    const core::Clock* clock = nullptr;
    std::size_t capacity = 64;
    /// Time from "killed" to "released": the kubelet's interval between passes.
    Duration hold = std::chrono::seconds{10};
  };

  explicit DryRunActuator(Options options);

  using Actuator::begin;
  [[nodiscard]] Result<SignalReport> begin(KillTarget& target, const Start& start,
                                           MonoTime now) override;
  /// A dry run has no eviction to continue.
  [[nodiscard]] Result<Ticket> adopt(KillTarget& /*target*/, const Adoption& /*adoption*/,
                                     MonoTime /*now*/) override {
    return fail(Errc::kInvalid, "dry run");
  }
  void rehearse(KillTarget& /*target*/) override {}
  void end_rehearsal() override {}
  void practise() override {}
  [[nodiscard]] Result<SignalReport> cut_grace(Ticket ticket, MonoTime deadline,
                                               MonoTime now) override;
  [[nodiscard]] std::optional<MonoTime> next_deadline() const override;
  void on_deadline(MonoTime now) override;
  [[nodiscard]] int descriptor() const override { return -1; }
  void on_ready(MonoTime now) override;
  void on_emptied(CgroupId cgroup, MonoTime now) override;
  [[nodiscard]] std::optional<Progress> take_progress() override;
  [[nodiscard]] std::size_t in_flight(std::span<InFlight> out) const override;
  void replace(KillTarget& newer) override;
  void end_pretended(Ticket ticket, MonoTime now) override;
  void use_roots(std::vector<CgroupId>& /*roots*/) override {}
  [[nodiscard]] const ActuatorCounters& counters() const override { return counters_; }

 private:
  [[nodiscard]] Failure refuse(Protection protection);
  void kill_at_deadline(Eviction& eviction, MonoTime now);
  [[nodiscard]] SignalReport pretend(Eviction& eviction, int signal, MonoTime now);

  Options options_;
  ActuatorCounters counters_;
  EvictionTable table_;
};

}  // namespace evictd::enforce
