// SPDX-License-Identifier: Apache-2.0
#include "idle/rest.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "evictd/try.h"
#include "harness/interrupt.h"
#include "idle/process_cost.h"
#include "idle/timer_softirq.h"

namespace evictd::bench {

Result<> rest(int seconds) {
  for (int i = 0; i < seconds; ++i) {
    ::sleep(1);
    EVICTD_TRY(Interrupt::check());
  }
  return {};
}

Result<Duration> timers_without(int seconds) {
  EVICTD_ASSIGN_OR_RETURN(const TimerSoftirq softirq, TimerSoftirq::create());
  EVICTD_TRY(rest(seconds));
  return softirq.spent();
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
  EVICTD_TRY(rest(seconds));
  const Duration timers = softirq->spent() - without;
  EVICTD_ASSIGN_OR_RETURN(const ProcessCost after, cost_of(daemon));
  return Spent{after.cpu - before->cpu, timers, after.programs - before->programs,
               after.sleeps - before->sleeps, after.resident};
}

double percent_of_core(Duration spent, int seconds) {
  return static_cast<double>(spent.count()) / 1e7 / seconds;
}

void add_cpu_rows(Report& report, const nlohmann::json& params, const Spent& spent, int seconds) {
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
