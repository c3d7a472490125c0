// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "harness/report.h"

namespace evictd::bench {

/// Sleeps for `seconds`. Errors: kBusy as soon as Interrupt::requested().
[[nodiscard]] Result<> rest(int seconds);

/// Softirq time of all timers of the machine in `seconds`. Measure it while evictd does not run.
/// Errors: those of TimerSoftirq::create() and rest().
[[nodiscard]] Result<Duration> timers_without(int seconds);

/// Cost of evictd, and of the kernel's work for it, in an interval.
struct Spent {
  Duration process{0};
  /// Beyond the time that the timers took without evictd.
  Duration timers{0};
  Duration programs{0};
  std::int64_t wake_ups = 0;
  Bytes resident{0};
};

/// Cost of `daemon` in `seconds`; `without` is the result of timers_without() for as many seconds.
/// Errors: kUnsupported without BPF statistics or the tracepoints of softirqs; those of rest().
[[nodiscard]] Result<Spent> spend(int seconds, pid_t daemon, Duration without);

/// Percent of one core.
[[nodiscard]] double percent_of_core(Duration spent, int seconds);

/// Adds a row for each part of the cost, and for its sum (whole_cpu).
void add_cpu_rows(Report& report, const nlohmann::json& params, const Spent& spent, int seconds);

}  // namespace evictd::bench
