// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "fault/fault_meter.h"
#include "harness/daemon_run.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

constexpr Bytes kLimit = 1024_MiB;
/// What must be available; so the threshold is at 256 MiB of usage.
constexpr Bytes kThreshold = 768_MiB;
/// With its region touched, the meter is so far below the threshold in the near state. The per-CPU
/// stock of two CPUs adds up to half a MiB; fast ticks begin 4 MiB below.
constexpr Bytes kDistance = 1_MiB;

/// What is there while faults are measured. Nothing is measured twice, to see what can be resolved.
enum class State { kNothing, kNothingAgain, kFar, kNear };
constexpr std::array kStates{State::kNothing, State::kNothingAgain, State::kFar, State::kNear};

const char* name_of(State state) {
  switch (state) {
    case State::kNothing:
      return "nothing";
    case State::kNothingAgain:
      return "nothing-again";
    case State::kFar:
      return "far";
    case State::kNear:
      return "near";
  }
  return "";
}

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

/// Memory that brings the pod root near the threshold.
Result<stage::LoadProcess> add_ballast(Bench& bench) {
  const Result<Bytes> usage = bench.tree.usage();
  if (!usage) {
    return tl::unexpected(usage.error());
  }
  stage::LoadOptions load;
  load.binary = bench.programs / "evict-load";
  load.directory = bench.scratch.path();
  load.cap = (kLimit - kThreshold - *usage - kMeterRegion - kDistance).value;
  Result<stage::LoadProcess> ballast =
      stage::LoadProcess::start(bench.tree, bench.ballast_pod, load);
  if (!ballast) {
    return ballast;
  }
  ballast->go();
  if (Result<> held = ballast->await_holding(std::chrono::seconds{20}); !held) {
    return tl::unexpected(held.error());
  }
  return ballast;
}

Result<double> measure(Bench& bench, State state) {
  std::optional<stage::DaemonProcess> daemon;
  std::optional<stage::LoadProcess> ballast;
  if (state == State::kNear) {
    Result<stage::LoadProcess> added = add_ballast(bench);
    if (!added) {
      return tl::unexpected(added.error());
    }
    ballast = std::move(*added);
  }
  if (state == State::kFar || state == State::kNear) {
    Result<stage::DaemonProcess> started =
        start_daemon({bench.tree, bench.programs, bench.scratch.path(), kThreshold});
    if (!started) {
      return tl::unexpected(started.error());
    }
    daemon = std::move(*started);
  }
  Result<double> ns = bench.meter.measure(bench.arguments.turns);
  if (daemon) {
    static_cast<void>(daemon->stop());
  }
  return ns;
}

/// Half of the 95 % interval of the median, by ranks.
double median_uncertainty(const Series& series) {
  const double share = 98 / std::sqrt(static_cast<double>(series.size()));
  return (series.percentile(std::min(50 + share, 100.0)) -
          series.percentile(std::max(50 - share, 0.0))) /
         2;
}

void report(Bench& bench, const std::array<Series, kStates.size()>& ns) {
  std::array<Series, kStates.size()> overhead;
  for (std::size_t state = 0; state < kStates.size(); ++state) {
    for (std::size_t round = 0; round < ns[state].size(); ++round) {
      overhead[state].add(100 * (ns[state].values()[round] / ns[0].values()[round] - 1));
    }
    bench.report.add("fault", {{"attached", name_of(kStates[state])}}, "ns", ns[state]);
  }
  for (std::size_t state = 1; state < kStates.size(); ++state) {
    bench.report.add("overhead", {{"attached", name_of(kStates[state])}}, "percent",
                     overhead[state]);
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(),
                  "%s against nothing: median %+.2f %%, +- %.2f %% (95 %%)",
                  name_of(kStates[state]), overhead[state].percentile(50),
                  median_uncertainty(overhead[state]));
    bench.report.note(text.data());
  }
}

Result<> run(Bench& bench) {
  std::array<Series, kStates.size()> ns;
  std::mt19937 random{std::random_device{}()};
  for (int round = 0; round < bench.arguments.rounds; ++round) {
    std::array order{0U, 1U, 2U, 3U};
    std::shuffle(order.begin(), order.end(), random);
    for (const unsigned state : order) {
      const Result<double> measured = measure(bench, kStates[state]);
      if (!measured) {
        return fail_in(name_of(kStates[state]), measured.error());
      }
      if (Interrupt::requested()) {
        return fail(Errc::kBusy, "interrupted; nothing is written");
      }
      ns[state].add(*measured);
    }
  }
  report(bench, ns);
  return bench.report.write(bench.arguments.out);
}

Result<> run_with(const Arguments& arguments) {
  Result<PrivateGround> own = PrivateGround::create();
  if (!own) {
    return tl::unexpected(own.error());
  }
  const Result<> limited = own->tree.limit_memory(kLimit);
  const Result<stage::StagedPod> pod = own->tree.add_pod({.name = "meter"});
  const Result<stage::StagedPod> ballast = own->tree.add_pod({.name = "ballast"});
  if (!limited || !pod || !ballast) {
    return fail(Errc::kIo, "cannot make the private tree's pods or limit");
  }
  Result<FaultMeter> meter = FaultMeter::start(own->tree, *pod);
  if (!meter) {
    return tl::unexpected(meter.error());
  }
  Bench bench{arguments,
              programs_directory(),
              std::move(own->tree),
              std::move(own->scratch),
              std::move(*meter),
              *ballast};
  return run(bench);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "fault",
       .purpose =
           "What a page fault costs with nothing attached, far from a threshold, and near one",
       .add_options =
           [&](CLI::App& app) {
             app.add_option("--rounds", arguments.rounds,
                            "each measures all states in random order")
                 ->check(CLI::Range(1, 10000));
             app.add_option("--turns", arguments.turns, "turns of 768 faults a measurement")
                 ->check(CLI::Range(1, 10000));
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
