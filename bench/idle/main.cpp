// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "evictd/try.h"
#include "harness/daemon_run.h"
#include "harness/idle_pods.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "idle/rest.h"
#include "stage/load_process.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {
namespace {

constexpr Bytes kLimit = 1024_MiB;
/// The threshold's available memory, which puts the threshold at 256 MiB of usage.
constexpr Bytes kThreshold = 768_MiB;
/// Distance of the parked pod from the threshold.
constexpr Bytes kParkedBelow = 1_MiB;
/// Measured charge of evict-load itself and the page tables of its memory.
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

Result<> measure(Bench& bench, const std::string& state, pid_t daemon, Duration without) {
  const int seconds = bench.arguments.seconds;
  EVICTD_ASSIGN_OR_RETURN(const Spent spent, spend(seconds, daemon, without));
  const nlohmann::json params = {{"state", state}, {"pods", bench.arguments.pods}};
  add_cpu_rows(bench.report, params, spent, seconds);
  return {};
}

/// Starts a pod that grows to just below the threshold and stays there.
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
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess parked,
                          stage::LoadProcess::start(bench.tree, *pod, load));
  parked.go();
  EVICTD_TRY(rest(2));
  const Result<Bytes> now = bench.tree.usage();
  const Bytes left = kLimit - kThreshold - now.value_or(Bytes{0});
  bench.report.note("the parked pod leaves " + std::to_string(left.value / 1024) +
                    " KiB to the threshold");
  return parked;
}

Result<> run(Bench& bench) {
  EVICTD_TRY(bench.tree.limit_memory(kLimit));
  EVICTD_ASSIGN_OR_RETURN(const ForkedProcesses pods,
                          start_idle_pods(bench.tree, bench.arguments.pods));
  EVICTD_ASSIGN_OR_RETURN(const Duration without, timers_without(bench.arguments.seconds));
  EVICTD_ASSIGN_OR_RETURN(
      stage::DaemonProcess daemon,
      start_daemon({bench.tree, bench.programs, bench.scratch.path(), kThreshold}));
  EVICTD_TRY(measure(bench, "rest", daemon.pid(), without));
  EVICTD_ASSIGN_OR_RETURN(const stage::LoadProcess parked, park(bench));
  EVICTD_TRY(measure(bench, "parked", daemon.pid(), without));
  return bench.report.write(bench.arguments.out);
}

Result<> run_with(const Arguments& arguments) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  Bench bench{arguments, programs_directory(), std::move(own.tree), std::move(own.scratch)};
  return run(bench);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "idle",
       .purpose = "Cost of evictd at rest, and with a pod parked near a threshold",
       .add_options =
           [&](CLI::App& app) {
             add_count(app, "--seconds", arguments.seconds, 3600, "length of each measurement");
             add_count(app, "--pods", arguments.pods, 2000, "pods beside the parked one");
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
