// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/kernel_clock.h"
#include "probe/backstop.h"
#include "probe/counters.h"

struct evictd_bpf;
struct evictd_backstop;

namespace evictd::probe {

/// The plan in the kernel side's mapped memory. Threads: hot, except for counters().
class KernelBackstop final : public Backstop {
 public:
  using DeliveredEvents = std::array<std::atomic<std::uint64_t>, kEventKinds>;

  /// `skeleton` is loaded with `row` of Purpose::kBackstop. `delivered` counts the events that the
  /// hot thread has seen. Both outlive this.
  KernelBackstop(evictd_bpf& skeleton, std::string_view row, base::KernelClock clock,
                 const DeliveredEvents& delivered);

  void arm(const BackstopOrder& order) override;
  [[nodiscard]] std::optional<BackstopFiring> disarm(MonoTime now) override;
  [[nodiscard]] BackstopCounters counters() const override;

 private:
  struct AtomicCounters {
    std::atomic<std::uint64_t> armed{0};
    std::atomic<std::uint64_t> fired{0};
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::uint64_t> expired{0};
    std::array<std::atomic<std::uint64_t>, kBackstopSpared> spared{};
    std::atomic<std::uint64_t> signals{0};
    std::atomic<std::uint64_t> refused_signals{0};
  };

  void write(const BackstopOrder& order);
  /// False: the kernel side was faster.
  [[nodiscard]] bool take();
  [[nodiscard]] BackstopFiring read_firing();
  void add_answer(BackstopFiring& firing, std::int32_t code);

  evictd_backstop& plan_;
  evictd_bpf& skeleton_;
  base::KernelClock clock_;
  const DeliveredEvents& delivered_;
  /// Program that user space runs for each plan; -1: none.
  int start_program_ = -1;
  /// Map of claims where programs have no exchanges; -1: they have.
  int claims_ = -1;
  std::uint64_t generation_ = 0;
  bool armed_ = false;
  MonoTime expires_at_{};
  AtomicCounters counters_;
};

}  // namespace evictd::probe
