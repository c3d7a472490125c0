// SPDX-License-Identifier: Apache-2.0
#include "idle/rest.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "harness/interrupt.h"
#include "idle/process_cost.h"
#include "idle/timer_softirq.h"

namespace evictd::bench {

Result<> rest(int seconds) {
  for (int i = 0; i < seconds; ++i) {
    ::sleep(1);
    if (Result<> undisturbed = Interrupt::check(); !undisturbed) {
      return undisturbed;
    }
  }
  return {};
}

Result<Duration> timers_without(int seconds) {
  const Result<TimerSoftirq> softirq = TimerSoftirq::create();
  if (!softirq) {
    return tl::unexpected(softirq.error());
  }
  if (Result<> rested = rest(seconds); !rested) {
    return tl::unexpected(rested.error());
  }
  return softirq->spent();
}

Result<Spent> spend(int seconds, pid_t daemon, Duration without) {
  const Result<RunTimeStatistics> statistics = RunTimeStatistics::enable();
  const Result<TimerSoftirq> softirq = TimerSoftirq::create();
  const Result<ProcessCost> before = cost_of(daemon);
  if (!statistics || !softirq || !before) {
    return fail(Errc::kUnsupported,
                "BPF statistics, timer softirq or the daemon's /proc are not "
                "readable");
  }
  if (Result<> rested = rest(seconds); !rested) {
    return tl::unexpected(rested.error());
  }
  const Duration timers = softirq->spent() - without;
  const Result<ProcessCost> after = cost_of(daemon);
  if (!after) {
    return tl::unexpected(after.error());
  }
  return Spent{after->cpu - before->cpu, timers, after->programs - before->programs,
               after->sleeps - before->sleeps, after->resident};
}

double percent_of_core(Duration spent, int seconds) {
  return static_cast<double>(spent.count()) / 1e7 / seconds;
}

void add_spent(Report& report, const nlohmann::json& params, const Spent& spent, int seconds) {
  const std::string core = "percent of a core";
  report.add("process_cpu", params, core, percent_of_core(spent.process, seconds));
  report.add("timer_cpu", params, core, percent_of_core(spent.timers, seconds));
  report.add("program_cpu", params, core, percent_of_core(spent.programs, seconds));
  report.add("whole_cpu", params, core,
             percent_of_core(spent.process + spent.timers + spent.programs, seconds));
  report.add("resident", params, "MiB", static_cast<double>(spent.resident.value) / (1 << 20));
  report.add("wake_ups", params, "per second", static_cast<double>(spent.wake_ups) / seconds);
}

}  // namespace evictd::bench
