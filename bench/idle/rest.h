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

/// Sleeps for so many seconds. Errors: kBusy as soon as Interrupt::requested().
[[nodiscard]] Result<> rest(int seconds);

/// Softirq time of all timers of the machine over so many seconds: to be taken without evictd.
/// Errors: those of TimerSoftirq::create() and rest().
[[nodiscard]] Result<Duration> timers_without(int seconds);

/// What evictd and the kernel's work for it cost from one moment to another.
struct Spent {
  Duration process{0};
  /// Beyond what the timers took without it.
  Duration timers{0};
  Duration programs{0};
  std::int64_t wake_ups = 0;
  Bytes resident{0};
};

/// Of `daemon` over so many seconds; `without` is what timers_without() answered for as many.
/// Errors: kUnsupported without BPF statistics or the tracepoints of softirqs; those of rest().
[[nodiscard]] Result<Spent> spend(int seconds, pid_t daemon, Duration without);

/// Of one core.
[[nodiscard]] double percent_of_core(Duration spent, int seconds);

/// Adds a row for each part of what was spent in so many seconds, and for its sum (whole_cpu).
void add_cpu_rows(Report& report, const nlohmann::json& params, const Spent& spent, int seconds);

}  // namespace evictd::bench
