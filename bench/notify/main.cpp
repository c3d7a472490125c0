// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/leading_zero.h"
#include "evictd/try.h"
#include "harness/busy_loops.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/selection.h"
#include "notify/awake.h"
#include "notify/faults.h"
#include "notify/registering.h"
#include "notify/resting.h"
#include "observer/observer.h"

namespace evictd::bench {
namespace {

/// A gigabyte that nothing here reaches, so that no trial can cause a kernel OOM kill.
constexpr Bytes kLimit = 1024_MiB;
/// Rows take turns of this many trials, so that other load of the machine affects all equally.
constexpr int kTurn = 20;
/// A row with more void trials in a turn than this is broken, not unlucky.
constexpr int kVoidsAllowedPerTurn = 10;

struct Arguments {
  int trials = 200;
  AwakeConditions awake;
  int seconds = 60;
  int cgroups = kManyRegistrations;
  /// The burst of fast ticks that is allowed near a threshold affects the first 100 turns at most.
  FaultOptions faults{.rounds = 60, .turns = 300};
  Selection rows;
  std::filesystem::path out;
};

struct Bench {
  Arguments arguments;
  std::filesystem::path programs;
  PrivateGround ground;
  std::mt19937 random;
  /// Kept until the end, so that nothing is measured while the kernel still ends them.
  KernelOthers kernel_others{};
  Report report{"notify"};
};

/// The hog's pod, and the observer of its crossing.
struct Stage {
  const stage::StagedPod& pod;
  Observer& observer;
};

Result<> run_trials(Bench& bench, const AwakeRow& row, Waiting waiting, const Stage& stage,
                    int trials, AwakeResult& result) {
  EVICTD_ASSIGN_OR_RETURN(
      AwakeScene scene,
      EVICTD_IN(row.title(), AwakeScene::set(row, waiting, bench.ground, bench.programs)));
  int voids = 0;
  while (trials > 0) {
    EVICTD_ASSIGN_OR_RETURN(
        const AwakeOutcome outcome,
        EVICTD_IN(row.title(), scene.run_trial(bench.ground, stage.pod, bench.programs,
                                               stage.observer, bench.random)));
    if (result.add(outcome)) {
      --trials;
    } else if (++voids > kVoidsAllowedPerTurn) {
      return fail(Errc::kInvalid,
                  row.title() + ": too many void trials, last because " + outcome.void_because);
    }
    if (Interrupt::requested()) {
      return fail(Errc::kBusy, "interrupted; nothing is written");
    }
  }
  return {};
}

Result<> run_turn(Bench& bench, const AwakeRow& row, const Stage& stage, int trials,
                  AwakeResult& result) {
  if (!bench.arguments.awake.apart) {
    return run_trials(bench, row, Waiting::kBoth, stage, trials, result);
  }
  Result<> ran = run_trials(bench, row, Waiting::kOurs, stage, trials, result);
  if (ran && !bench.ground.tree.hierarchies().unified()) {
    ran = run_trials(bench, row, Waiting::kTheirs, stage, trials, result);
  }
  return ran;
}

Result<> run_group(Bench& bench, const std::vector<AwakeRow>& rows, const stage::StagedPod& pod,
                   Observer& observer) {
  EVICTD_TRY(bench.kernel_others.grow(bench.ground, rows.front().registrations - 1));
  std::vector<AwakeResult> results(rows.size());
  for (int left = bench.arguments.trials; left > 0; left -= kTurn) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EVICTD_TRY(run_turn(bench, rows[i], {pod, observer}, std::min(left, kTurn), results[i]));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    report_awake(bench.report, rows[i], bench.arguments.awake, results[i]);
  }
  return {};
}

Result<> run_awake(Bench& bench) {
  const std::vector<std::vector<AwakeRow>> groups = awake_rows(bench.arguments.rows);
  if (groups.empty()) {
    return {};
  }
  Result<Observer> observer = Observer::create();
  const Result<stage::StagedPod> pod = bench.ground.tree.add_pod({.name = "hog"});
  const Result<ForkedProcesses> loops = start_busy_loops(bench.arguments.awake.busy_loops);
  if (!observer || !pod || !loops) {
    return tl::unexpected(!observer ? observer.error() : pod ? loops.error() : pod.error());
  }
  bench.report.note(std::string{"observer: "} + observer->hook());
  for (const std::vector<AwakeRow>& rows : groups) {
    EVICTD_TRY(run_group(bench, rows, *pod, *observer));
  }
  return {};
}

/// The memory directories of the pods' containers.
Result<std::vector<std::filesystem::path>> make_cgroups(Bench& bench) {
  std::vector<std::filesystem::path> directories;
  for (int i = 0; i < bench.arguments.cgroups; ++i) {
    EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod,
                            bench.ground.tree.add_pod({.name = "listened-" + std::to_string(i)}));
    directories.push_back(bench.ground.tree.hierarchies().memory / pod.container);
  }
  return directories;
}

/// On the same cgroups: the cost of registrations at rest, the rows of awake_rows(), and the cost
/// of each call. In this order, because the kernel continues to end registrations after a row.
Result<> run_costs(Bench& bench) {
  const Arguments& arguments = bench.arguments;
  const bool with_kernel = !bench.ground.tree.hierarchies().unified();
  const bool with_rest = arguments.rows.wants("rest");
  const std::vector<RegisteringRow> rows = registering_rows(arguments.rows, with_kernel);
  Result<std::vector<std::filesystem::path>> cgroups;
  if (with_rest || !rows.empty()) {
    cgroups = make_cgroups(bench);
  }
  if (!cgroups) {
    return tl::unexpected(cgroups.error());
  }
  Result<> ran = with_rest ? measure_resting(arguments.seconds, bench.ground, bench.programs,
                                             *cgroups, bench.report)
                           : Result<>{};
  if (ran) {
    ran = run_awake(bench);
  }
  for (auto row = rows.begin(); ran && row != rows.end(); ++row) {
    ran = measure_registering(*row, bench.ground, bench.programs, *cgroups, bench.report);
  }
  return ran;
}

Result<> run(const Arguments& arguments) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround ground, PrivateGround::create());
  EVICTD_TRY(ground.tree.limit_memory(kLimit));
  raise_descriptor_limit();
  Bench bench{arguments, programs_directory(), std::move(ground),
              std::mt19937{std::random_device{}()}};
  Result<> ran = arguments.rows.wants("fault")
                     ? measure_faults(arguments.faults, bench.ground, bench.programs, bench.report)
                     : Result<>{};
  if (ran) {
    ran = run_costs(bench);
  }
  return ran ? bench.report.write(arguments.out) : ran;
}

void add_number(CLI::App& app, const std::string& name, int& value, const CLI::Range& range,
                const std::string& meaning) {
  app.add_option(name, value, meaning)->check(core::leading_zero_problem)->check(range);
}

void add_options(CLI::App& app, Arguments& arguments) {
  add_number(app, "--trials", arguments.trials, CLI::Range(1, 100000),
             "trials a row, from the crossing to the reader awake");
  add_number(app, "--busy-loops", arguments.awake.busy_loops, CLI::Range(0, 64),
             "processes that take a CPU each meanwhile");
  app.add_flag("--apart", arguments.awake.apart,
               "hogs of its own for each of evictd and the kernel, instead of one for both");
  add_number(app, "--rounds", arguments.faults.rounds, CLI::Range(1, 10000),
             "each measures a block of page faults in every state");
  add_number(app, "--turns", arguments.faults.turns, CLI::Range(1, 10000),
             "turns of 768 faults a measurement");
  add_number(app, "--seconds", arguments.seconds, CLI::Range(1, 3600),
             "length of each measurement at rest");
  add_number(app, "--cgroups", arguments.cgroups, CLI::Range(1, kManyRegistrations),
             "over which the registrations of the costs are spread");
  app.add_option("--rows", arguments.rows.with,
                 "only rows whose title has all of these words: awake register fault rest; awake "
                 "has service in-process, fifo ordinary, 1 100 1000; register has service "
                 "in-process kernel, one spread");
  app.add_option("--without", arguments.rows.without, "no row whose title has one of these words");
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "notify",
       .purpose =
           "From a memory crossing to an awake reader of an eventfd, beside cgroup v1's own; "
           "and what registrations cost",
       .add_options = [&](CLI::App& app) { add_options(app, arguments); },
       .quick_means = "5 trials a row, 3 rounds, 2 seconds, 50 cgroups",
       .be_quick =
           [&] {
             arguments.trials = 5;
             arguments.faults.rounds = 3;
             arguments.seconds = 2;
             arguments.cgroups = 50;
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
