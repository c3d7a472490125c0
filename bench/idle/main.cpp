// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/daemon_run.h"
#include "harness/idle_pods.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "idle/process_cost.h"
#include "idle/timer_softirq.h"
#include "stage/load_process.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {
namespace {

constexpr Bytes kLimit = 1024_MiB;
/// What must be available; so the threshold is at 256 MiB of usage.
constexpr Bytes kThreshold = 768_MiB;
/// How far below the threshold the parked pod stops.
constexpr Bytes kParkedBelow = 1_MiB;
/// What evict-load itself and the page tables of its memory are charged, measured.
constexpr Bytes kOwnPages = 640_KiB;

struct Arguments {
  int seconds = 60;
  int pods = 110;
  std::filesystem::path out;
};

struct Bench {
  Arguments arguments;
  std::filesystem::path programs;
  stage::PrivateTree tree;
  stage::ScratchDirectory scratch;
  Report report{"idle"};
};

Result<> rest(int seconds) {
  for (int i = 0; i < seconds; ++i) {
    ::sleep(1);
    if (Interrupt::requested()) {
      return fail(Errc::kBusy, "interrupted; nothing is written");
    }
  }
  return {};
}

void add_one(Report& report, const std::string& name, const nlohmann::json& params,
             const std::string& unit, double value) {
  Series series;
  series.add(value);
  report.add(name, params, unit, series);
}

double percent(Duration spent, int seconds) {
  return static_cast<double>(spent.count()) / 1e7 / seconds;
}

/// Softirq time of all timers of the machine over the same time, without evictd.
Result<Duration> baseline(const Bench& bench) {
  const Result<TimerSoftirq> softirq = TimerSoftirq::create();
  if (!softirq) {
    return tl::unexpected(softirq.error());
  }
  if (Result<> rested = rest(bench.arguments.seconds); !rested) {
    return tl::unexpected(rested.error());
  }
  return softirq->spent();
}

/// What `daemon` and the kernel's work for it cost from one moment to another.
struct Spent {
  Duration process{0};
  Duration timers{0};
  Duration programs{0};
  std::int64_t wake_ups = 0;
  Bytes resident{0};
};

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

Result<> measure(Bench& bench, const std::string& state, pid_t daemon, Duration without) {
  const int seconds = bench.arguments.seconds;
  const Result<Spent> spent = spend(seconds, daemon, without);
  if (!spent) {
    return tl::unexpected(spent.error());
  }
  const nlohmann::json params = {{"state", state}, {"pods", bench.arguments.pods}};
  const std::string core = "percent of a core";
  add_one(bench.report, "process_cpu", params, core, percent(spent->process, seconds));
  add_one(bench.report, "timer_cpu", params, core, percent(spent->timers, seconds));
  add_one(bench.report, "program_cpu", params, core, percent(spent->programs, seconds));
  add_one(bench.report, "whole_cpu", params, core,
          percent(spent->process + spent->timers + spent->programs, seconds));
  add_one(bench.report, "resident", params, "MiB",
          static_cast<double>(spent->resident.value) / (1 << 20));
  add_one(bench.report, "wake_ups", params, "per second",
          static_cast<double>(spent->wake_ups) / seconds);
  return {};
}

/// A pod that grows to just below the threshold and stays there.
Result<stage::LoadProcess> park(Bench& bench) {
  const Result<stage::StagedPod> pod = bench.tree.add_pod({.name = "parked"});
  const Result<Bytes> usage = bench.tree.usage();
  if (!pod || !usage) {
    return tl::unexpected(pod ? usage.error() : pod.error());
  }
  stage::LoadOptions load;
  load.binary = bench.programs / "evict-load";
  load.directory = bench.scratch.path();
  load.cap = (kLimit - kThreshold - kParkedBelow - *usage).value - kOwnPages.value;
  Result<stage::LoadProcess> parked = stage::LoadProcess::start(bench.tree, *pod, load);
  if (!parked) {
    return parked;
  }
  parked->go();
  if (Result<> settled = rest(2); !settled) {
    return tl::unexpected(settled.error());
  }
  const Result<Bytes> now = bench.tree.usage();
  const Bytes left = kLimit - kThreshold - now.value_or(Bytes{0});
  bench.report.note("the parked pod leaves " + std::to_string(left.value / 1024) +
                    " KiB to the threshold");
  return parked;
}

Result<> run(Bench& bench) {
  if (Result<> limited = bench.tree.limit_memory(kLimit); !limited) {
    return limited;
  }
  const Result<IdlePods> pods = IdlePods::start(bench.tree, bench.arguments.pods);
  if (!pods) {
    return tl::unexpected(pods.error());
  }
  const Result<Duration> without = baseline(bench);
  if (!without) {
    return tl::unexpected(without.error());
  }
  Result<stage::DaemonProcess> daemon =
      start_daemon({bench.tree, bench.programs, bench.scratch.path(), kThreshold});
  if (!daemon) {
    return tl::unexpected(daemon.error());
  }
  if (Result<> measured = measure(bench, "rest", daemon->pid(), *without); !measured) {
    return measured;
  }
  const Result<stage::LoadProcess> parked = park(bench);
  if (!parked) {
    return tl::unexpected(parked.error());
  }
  if (Result<> measured = measure(bench, "parked", daemon->pid(), *without); !measured) {
    return measured;
  }
  return bench.report.write(bench.arguments.out);
}

Result<> run_with(const Arguments& arguments) {
  Result<PrivateGround> own = PrivateGround::create();
  if (!own) {
    return tl::unexpected(own.error());
  }
  Bench bench{arguments, programs_directory(), std::move(own->tree), std::move(own->scratch)};
  return run(bench);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "idle",
       .purpose = "What evictd costs while nothing happens, and with a pod parked near a threshold",
       .add_options =
           [&](CLI::App& app) {
             app.add_option("--seconds", arguments.seconds, "length of each measurement")
                 ->check(CLI::Range(1, 3600));
             app.add_option("--pods", arguments.pods, "pods beside the parked one")
                 ->check(CLI::Range(1, 2000));
           },
       .quick_means = "5 seconds",
       .be_quick = [&] { arguments.seconds = 5; },
       .run =
           [&](const std::filesystem::path& out) {
             arguments.out = out;
             return run_with(arguments);
           }},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
