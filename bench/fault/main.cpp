// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>

#include "evictd/try.h"
#include "fault/fault_meter.h"
#include "fault/fault_states.h"
#include "harness/daemon_run.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

constexpr Bytes kLimit = 1024_MiB;
/// The threshold's available memory, which puts the threshold at 256 MiB of usage.
constexpr Bytes kThreshold = 768_MiB;
/// Distance of the meter from the threshold in the near state, with its region touched. The per-CPU
/// stock of two CPUs is up to half a MiB; fast ticks begin 4 MiB below.
constexpr Bytes kDistance = 1_MiB;

struct Arguments {
  int rounds = 60;
  int turns = 100;
  std::filesystem::path out;
};

struct Bench {
  Arguments arguments;
  std::filesystem::path programs;
  stage::PrivateTree tree;
  stage::ScratchDirectory scratch;
  FaultMeter meter;
  stage::StagedPod ballast_pod;
  Report report{"fault"};
};

/// Adds memory that brings the pod root near the threshold.
Result<stage::LoadProcess> add_ballast(Bench& bench) {
  EVICTD_ASSIGN_OR_RETURN(const Bytes usage, bench.tree.usage());
  stage::LoadOptions load;
  load.binary = bench.programs / "evict-load";
  load.directory = bench.scratch.path();
  load.cap = (kLimit - kThreshold - usage - kMeterRegion - kDistance).value;
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess ballast,
                          stage::LoadProcess::start(bench.tree, bench.ballast_pod, load));
  ballast.go();
  EVICTD_TRY(ballast.await_holding(std::chrono::seconds{20}));
  return ballast;
}

Result<double> measure(Bench& bench, FaultState state) {
  std::optional<stage::DaemonProcess> daemon;
  std::optional<stage::LoadProcess> ballast;
  if (state == FaultState::kNear) {
    EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess added, add_ballast(bench));
    ballast = std::move(added);
  }
  if (state == FaultState::kFar || state == FaultState::kNear) {
    EVICTD_ASSIGN_OR_RETURN(
        stage::DaemonProcess started,
        start_daemon({bench.tree, bench.programs, bench.scratch.path(), kThreshold}));
    daemon = std::move(started);
  }
  Result<double> ns = bench.meter.measure(bench.arguments.turns);
  if (daemon) {
    static_cast<void>(daemon->stop());
  }
  return ns;
}

Result<> run(Bench& bench) {
  const Result<FaultTimes> ns = measure_states(
      bench.arguments.rounds, [&](FaultState state) { return measure(bench, state); });
  if (!ns) {
    return tl::unexpected(ns.error());
  }
  report_states(bench.report, *ns, {.state = "attached", .overhead = "overhead", .params = {}});
  return bench.report.write(bench.arguments.out);
}

Result<> run_with(const Arguments& arguments) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  const Result<> limited = own.tree.limit_memory(kLimit);
  const Result<stage::StagedPod> pod = own.tree.add_pod({.name = "meter"});
  const Result<stage::StagedPod> ballast = own.tree.add_pod({.name = "ballast"});
  if (!limited || !pod || !ballast) {
    return fail(Errc::kIo, "cannot create the private tree's pods or limit");
  }
  EVICTD_ASSIGN_OR_RETURN(FaultMeter meter, FaultMeter::start(own.tree, *pod));
  Bench bench{arguments,           programs_directory(),
              std::move(own.tree), std::move(own.scratch),
              std::move(meter),    *ballast};
  return run(bench);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "fault",
       .purpose = "Cost of a page fault with nothing attached, far from a threshold, and near one",
       .add_options =
           [&](CLI::App& app) {
             add_count(app, "--rounds", arguments.rounds, 10000,
                       "each measures all states in random order");
             add_count(app, "--turns", arguments.turns, 10000, "turns of 768 faults a measurement");
           },
       .quick_means = "5 rounds",
       .be_quick = [&] { arguments.rounds = 5; },
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
