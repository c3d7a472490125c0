// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// Sums the time of all CPUs in the softirq of high-resolution timers while the object lives.
class TimerSoftirq {
 public:
  /// Errors: those of libbpf; kUnsupported without the tracepoints.
  static Result<TimerSoftirq> create();

  TimerSoftirq(const TimerSoftirq&) = delete;
  TimerSoftirq& operator=(const TimerSoftirq&) = delete;
  TimerSoftirq(TimerSoftirq&&) noexcept;
  TimerSoftirq& operator=(TimerSoftirq&&) noexcept;
  ~TimerSoftirq();

  /// Time since create().
  [[nodiscard]] Duration spent() const;

 private:
  struct State;
  explicit TimerSoftirq(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evictd::bench
