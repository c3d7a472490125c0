// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "evictd/try.h"
#include "flush/crowd.h"
#include "harness/daemon_run.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "pass/pass_times.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

using nlohmann::json;

/// The pod root's limit, the available memory of its threshold, and the size of a hog.
constexpr Bytes kLimit = 1280_MiB;
constexpr Bytes kThreshold = 768_MiB;
constexpr Bytes kHogCap = 1024_MiB;
/// Long enough for every container to change its memory since the previous trial, so that the
/// kernel has statistics to flush for each cgroup.
constexpr long kPauseNs = 400'000'000;
constexpr std::chrono::seconds kTrialDeadline{20};

struct Arguments {
  int pods = 250;
  int cgroups = 4;
  int readers = 2;
  int trials = 40;
  std::filesystem::path out;
};

Result<> run_trial(PrivateGround& own, const stage::DaemonProcess& daemon, PassTimes& times) {
  EVICTD_ASSIGN_OR_RETURN(stage::StagedPod pod, own.tree.add_pod({.name = "hog"}));
  {
    EVICTD_ASSIGN_OR_RETURN(
        stage::LoadProcess hog,
        stage::LoadProcess::start(own.tree, pod,
                                  {.binary = programs_directory() / "evict-load",
                                   .directory = own.scratch.path(),
                                   .cap = kHogCap.value}));
    const timespec pause{0, kPauseNs};
    ::nanosleep(&pause, nullptr);
    hog.go();
    EVICTD_TRY(EVICTD_IN("wait for the end of the hog", hog.child().wait(kTrialDeadline)));
  }
  EVICTD_TRY(take_last_pass(daemon, pod.uid, times));
  return own.tree.remove_pod(pod);
}

Result<> measure(const Arguments& arguments, int readers, PassTimes& times) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  EVICTD_TRY(own.tree.limit_memory(kLimit));
  EVICTD_ASSIGN_OR_RETURN(
      const ForkedProcesses crowd,
      start_crowd(own.tree,
                  {.pods = arguments.pods, .cgroups = arguments.cgroups, .readers = readers}));
  const std::filesystem::path programs = programs_directory();
  EVICTD_ASSIGN_OR_RETURN(const stage::DaemonProcess daemon,
                          start_daemon({.tree = own.tree,
                                        .programs = programs,
                                        .directory = own.scratch.path(),
                                        .threshold = kThreshold}));
  for (int trial = 0; trial < arguments.trials; ++trial) {
    EVICTD_TRY(Interrupt::check());
    EVICTD_TRY(EVICTD_IN("trial " + std::to_string(trial), run_trial(own, daemon, times)));
  }
  return {};
}

Result<> run(const Arguments& arguments) {
  Report report{"flush"};
  report.note(
      "a decision about the one pod that grows past the threshold, while every cgroup of the other "
      "pods has changed since the decision before, and processes in one of them read the "
      "memory.stat of their own pod in a loop (readers); read is what the pass reads, the kernel's "
      "gathering of statistics in it; the stamps are evictd's own");
  for (const int readers : {0, arguments.readers}) {
    PassTimes times;
    EVICTD_TRY(measure(arguments, readers, times));
    const json params = {
        {"pods", arguments.pods}, {"cgroups", arguments.cgroups}, {"readers", readers}};
    report.add("read", params, "us", times.read);
    report.add("wake_to_signal", params, "us", times.to_signal);
  }
  return report.write(arguments.out);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "flush",
       .purpose = "Decisions of evictd beside a pod that reads its own memory.stat in a loop",
       .add_options =
           [&](CLI::App& app) {
             add_count(app, "--pods", arguments.pods, 2000, "pods");
             add_count(app, "--cgroups", arguments.cgroups, 20,
                       "cgroups of a pod, itself included");
             add_count(app, "--readers", arguments.readers, 64, "processes that read");
             add_count(app, "--trials", arguments.trials, 10000, "decisions without and with them");
           },
       .quick_means = "3 trials, 20 pods",
       .be_quick =
           [&] {
             arguments.trials = 3;
             arguments.pods = 20;
           },
       .run =
           [&](const std::filesystem::path& out) {
             arguments.out = out;
             return evictd::bench::run(arguments);
           }},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
