// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "crossing/contender.h"
#include "crossing/plan.h"
#include "crossing/step_table.h"
#include "crossing/trial.h"
#include "evictd/try.h"
#include "harness/busy_loops.h"
#include "harness/interrupt.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/trials.h"
#include "observer/observer.h"
#include "tracer/hot_tracer.h"

namespace evictd::bench {
namespace {

/// Rows of a scene take turns of this many trials, so that other load of the machine affects all of
/// them equally.
constexpr int kTurn = 20;
/// A row with more void trials in a turn than this is broken, not unlucky.
constexpr int kVoidsAllowedPerTurn = 10;

struct RowResult {
  Series to_generated;
  Series to_sigkill;
  Series detection_to_generated;
  Series from_detection;
  /// Trials in which evictd's kernel side sent the signal.
  int by_kernel = 0;
  Series to_exit;
  Series past_at_sigkill;
  Series past_at_most;
  Series hog_rate;
  StepTable steps;
  std::map<std::string, int> voids;
};

void add(RowResult& result, const TrialOutcome& outcome) {
  if (!outcome.void_because.empty()) {
    ++result.voids[outcome.void_because];
    return;
  }
  result.to_generated.add(outcome.to_generated_us);
  result.to_sigkill.add(outcome.to_sigkill_us);
  result.by_kernel += outcome.by_kernel ? 1 : 0;
  result.to_exit.add(outcome.to_exit_us);
  if (outcome.detection_to_generated_us && outcome.detection_to_sigkill_us) {
    result.detection_to_generated.add(*outcome.detection_to_generated_us);
    result.from_detection.add(*outcome.detection_to_sigkill_us);
  }
  result.past_at_sigkill.add(outcome.past_at_sigkill_mib);
  result.past_at_most.add(outcome.past_at_most_mib);
  result.hog_rate.add(outcome.hog_mib_per_second);
  if (outcome.steps) {
    result.steps.add(*outcome.steps);
  } else {
    result.steps.add_undivided();
  }
}

struct Bench {
  Ground ground;
  Witnesses witnesses;
  std::mt19937 random;
  Report report{"crossing"};
};

Result<> run_turn(Bench& bench, const Row& row, std::size_t trials, RowResult& result) {
  EVICTD_ASSIGN_OR_RETURN(Contender contender,
                          EVICTD_IN("start " + title_of(row), Contender::start(row, bench.ground)));
  const std::size_t wanted = result.to_sigkill.size() + trials;
  int voids = 0;
  while (result.to_sigkill.size() < wanted && !Interrupt::requested()) {
    EVICTD_ASSIGN_OR_RETURN(const TrialOutcome outcome,
                            EVICTD_IN(title_of(row), run_trial(row, bench.ground, contender,
                                                               bench.witnesses, bench.random)));
    add(result, outcome);
    if (!outcome.void_because.empty() && ++voids > kVoidsAllowedPerTurn) {
      return fail(Errc::kInvalid,
                  title_of(row) + ": too many void trials, last because " + outcome.void_because);
    }
  }
  return {};
}

/// Adds ratios to the eventfd consumer of the same priority in the same scene.
void report_ratios(Report& report, const Row& row, const nlohmann::json& params) {
  nlohmann::json reference = params;
  reference["killer"] = name_of(Killer::kEventfd);
  for (const char* field : {"p50", "p99"}) {
    const double other = report.value("crossing_to_sigkill", reference, field);
    if (row.killer != Killer::kEvictd || other <= 0) {
      continue;
    }
    report.add(std::string{"to_sigkill_vs_eventfd_"} + field, params, "ratio",
               report.value("crossing_to_sigkill", params, field) / other);
  }
}

void report_row(Report& report, const Row& row, const RowResult& result) {
  const nlohmann::json params = params_of(row);
  report.add("crossing_to_sigkill", params, "us", result.to_sigkill);
  report.add("crossing_to_generated", params, "us", result.to_generated,
             {{"by the kernel side", result.by_kernel}});
  if (result.from_detection.size() != 0) {
    report.add("detection_to_sigkill", params, "us", result.from_detection);
    report.add("detection_to_generated", params, "us", result.detection_to_generated);
  }
  report.add("past_at_sigkill", params, "MiB", result.past_at_sigkill);
  report.add("past_at_most", params, "MiB", result.past_at_most);
  report.add("crossing_to_exit", params, "us", result.to_exit);
  report.add("hog_rate", params, "MiB/s", result.hog_rate);
  for (const auto& [reason, count] : result.voids) {
    report.note(title_of(row) + ": " + std::to_string(count) + " void trials run again: " + reason);
  }
}

Result<> run_scene(Bench& bench, const std::vector<Row>& rows, int trials) {
  EVICTD_ASSIGN_OR_RETURN(const ForkedProcesses loops,
                          start_busy_loops(rows.front().scene.busy_loops ? 2 : 0));
  std::vector<RowResult> results(rows.size());
  for (int left = trials; left > 0 && !Interrupt::requested(); left -= kTurn) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto turn = static_cast<std::size_t>(std::min(left, kTurn));
      EVICTD_TRY(run_turn(bench, rows[i], turn, results[i]));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    report_row(bench.report, rows[i], results[i]);
    if (bench.witnesses.tracer) {
      results[i].steps.report(bench.report, params_of(rows[i]));
      std::printf("%s", results[i].steps.text(title_of(rows[i])).c_str());
    }
  }
  for (const Row& row : rows) {
    report_ratios(bench.report, row, params_of(row));
  }
  return {};
}

Result<Witnesses> create_witnesses(bool trace) {
  EVICTD_ASSIGN_OR_RETURN(Observer observer, Observer::create());
  Witnesses witnesses{.observer = std::move(observer), .tracer = std::nullopt};
  if (trace) {
    EVICTD_ASSIGN_OR_RETURN(HotTracer tracer, HotTracer::create());
    witnesses.tracer = std::move(tracer);
  }
  return witnesses;
}

Result<> run(const TrialOptions& options, bool trace) {
  EVICTD_ASSIGN_OR_RETURN(Ground ground, Ground::create(programs_directory()));
  EVICTD_ASSIGN_OR_RETURN(Witnesses witnesses, create_witnesses(trace));
  const bool with_eventfd = !ground.tree.hierarchies().unified();
  Bench bench{std::move(ground), std::move(witnesses), std::mt19937{std::random_device{}()}};
  bench.report.note(std::string{"observer: "} + bench.witnesses.observer.hook());
  Selection selected = options.rows;
  if (trace) {
    selected.with.emplace_back(name_of(Killer::kEvictd));
    bench.report.note(
        "crossing_step: the system calls of evictd's hot thread, recorded by a tracer outside it, "
        "divide the time from evictd's detection to the return of SIGKILL; the tracer makes each "
        "of these calls some hundred nanoseconds longer");
  }
  for (const std::vector<Row>& rows : plan(selected, with_eventfd)) {
    EVICTD_TRY(run_scene(bench, rows, options.trials));
    EVICTD_TRY(Interrupt::check());
  }
  return bench.report.write(options.out);
}

int main_of(int argc, char** argv) {
  bool trace = false;
  return run_trial_program(
      {.name = "crossing",
       .purpose =
           "From a memory crossing to SIGKILL: evictd, without and with a kernel side that kills, "
           "beside a v1 eventfd consumer and pollers",
       .trials = 200,
       .quick_trials = 10,
       .rows_are = "only rows whose title has all of these words: evictd evictd-backstop "
                   "evictd-brake eventfd poll-10ms poll-100ms poll-1s, fifo ordinary, idle busy, "
                   "4k thp, cgroup node; pollers are fifo and busy, evictd-backstop and "
                   "evictd-brake cgroup",
       .without_are = "no row whose title has one of these words",
       .add_options =
           [&](CLI::App& app) {
             app.add_flag("--trace", trace,
                          "where the time of a crossing goes, step by step; only rows of evictd, "
                          "and in crossing_trace.json");
           },
       .add_to_file = [&] { return trace ? "_trace" : ""; },
       .run = [&](const TrialOptions& options) { return evictd::bench::run(options, trace); }},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
