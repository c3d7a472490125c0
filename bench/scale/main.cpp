// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evictd/try.h"
#include "harness/idle_pods.h"
#include "harness/program.h"
#include "harness/report.h"
#include "scale/growth.h"
#include "scale/node_run.h"

namespace evictd::bench {
namespace {

/// Half of evictd's slots.
constexpr int kMostPods = 2000;

struct Arguments {
  std::vector<int> pods{110, 500, 1000, 2000};
  int containers = 4;
  int starts = 5;
  int seconds = 20;
  int passes = 11;
  int added = 10;
  bool json = false;
  std::filesystem::path out;
};

/// One measure of a node: name, unit, and noise level.
struct Measure {
  const char* name;
  const char* unit;
  double least;
  Series NodeRun::*series;
};

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all{
      {"start_to_ready", "ms", 20, &NodeRun::to_ready},
      {"start_cpu", "ms", 20, &NodeRun::start_cpu},
      {"sweep_cpu", "percent of a core", 0.05, &NodeRun::sweep_cpu},
      {"process_cpu", "percent of a core", 0.05, &NodeRun::process_cpu},
      {"first_pass", "us", 500, &NodeRun::first_pass},
      {"pass", "us", 50, &NodeRun::pass},
      {"discovery", "ms", 5, &NodeRun::discovery},
      {"resident", "MiB", 1, &NodeRun::resident},
      {"descriptors", "descriptors", 100, &NodeRun::descriptors}};
  return all;
}

void add_notes(Report& report, int containers) {
  report.note(
      "pods of " + std::to_string(containers) +
      " containers with one process each, on a private tree; start_to_ready is from the "
      "start of the process to its READY=1 and start_cpu what all its threads had run by then; "
      "sweep_cpu is softirq time of timers beyond what they took without evictd, and BPF programs; "
      "a pass runs from its first reading to the decision, and first_pass is the one that first "
      "evicts after a start, the others are pass; discovery is from before a pod's first cgroup is "
      "made until evictd has a file of it open");
  report.note(
      "growth is the most by which a measure grew faster than the pods did, between any two "
      "numbers of pods of this run: 1 is linear, and the bench fails above 1.5");
}

Result<> measure_all(const Arguments& arguments, Report& report, std::vector<Growth>& growths) {
  for (const Measure& measure : measures()) {
    growths.push_back({.measure = measure.name, .least = measure.least, .values = {}});
  }
  for (const int pods : arguments.pods) {
    const Result<NodeRun> found = run_node({.pods = pods,
                                            .containers = arguments.containers,
                                            .starts = arguments.starts,
                                            .seconds = arguments.seconds,
                                            .passes = arguments.passes,
                                            .added = arguments.added,
                                            .programs = programs_directory()});
    if (!found) {
      return fail_in(std::to_string(pods) + " pods", found.error());
    }
    for (std::size_t i = 0; i < growths.size(); ++i) {
      const Measure& measure = measures()[i];
      const Series& series = (*found).*measure.series;
      if (series.size() == 0) {
        report.note(std::string(measure.name) + " is not measured with " + std::to_string(pods) +
                    " pods: evictd's limit of descriptors is too low to keep files of all");
        continue;
      }
      report.add(measure.name, {{"pods", pods}}, measure.unit, series);
      growths[i].values.emplace_back(pods, series.percentile(50));
    }
  }
  return {};
}

Result<> run(const Arguments& arguments) {
  Report report{"scale", arguments.json ? Report::Lines::kNone : Report::Lines::kStdout};
  add_notes(report, arguments.containers);
  std::vector<Growth> growths;
  EVICTD_TRY(measure_all(arguments, report, growths));
  if (arguments.pods.size() > 1) {
    for (const Growth& growth : growths) {
      report.add("growth", {{"measure", growth.measure}}, "times linear", times_linear(growth));
    }
  }
  EVICTD_TRY(report.write(arguments.out));
  if (arguments.json) {
    std::fputs(report.text().c_str(), stdout);
  }
  // Last, so that the judged results are in the report.
  return judge(growths);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "scale",
       .purpose = "What evictd costs by number of pods: start, sweep, pass, discovery, memory. "
                  "Exit status 1 if a measure grows faster than the pods",
       .add_options =
           [&](CLI::App& app) {
             add_counts(app, "--pods", arguments.pods, kMostPods, "numbers of pods");
             add_count(app, "--containers", arguments.containers, kMostContainers,
                       "containers of each pod");
             add_count(app, "--starts", arguments.starts, 1000,
                       "starts that are timed, and first passes");
             add_count(app, "--seconds", arguments.seconds, 3600,
                       "length of the measurement of evictd at rest");
             add_count(app, "--passes", arguments.passes, 1000,
                       "passes that are timed; at most a tenth of the pods");
             add_count(app, "--added", arguments.added, 1000,
                       "pods that are added, to see when evictd knows them");
             app.add_flag("--json", arguments.json, "print the raw results, not a line a row");
           },
       .quick_means = "110 and 500 pods, 2 starts, 5 seconds",
       .be_quick =
           [&] {
             arguments.pods = {110, 500};
             arguments.starts = 2;
             arguments.seconds = 5;
           },
       .run =
           [&](const std::filesystem::path& out) {
             arguments.out = out;
             return run(arguments);
           }},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
