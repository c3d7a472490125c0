// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "cast/cast.h"
#include "cast/racing_daemon.h"
#include "cast/random_pause.h"
#include "fork_race/pid_limit.h"
#include "fork_race/trial.h"
#include "harness/interrupt.h"
#include "harness/machine.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/selection.h"

namespace evictd::bench {
namespace {

/// Small, because an emulated machine makes about 150 processes a second and kills 400.
constexpr PidRoom kRoom{.limit = 768, .threshold = 384};
constexpr Holdings kHoldings{32_MiB, 64_MiB, 16_MiB, 32_MiB};

struct Racer {
  const char* name;
  EvictdMode mode;
};
constexpr Racer kRacers[] = {{"evictd", EvictdMode::kBpf},
                             {"evictd-grace", EvictdMode::kBpfGrace},
                             {"evictd-poll", EvictdMode::kPoll}};

struct Arguments {
  int trials = 20;
  Selection rows;
  std::filesystem::path out;
};

struct RowResult {
  int trials = 0;
  int won = 0;
  int limit_reached = 0;
  int others_died = 0;
  Series forks_past;
  Series forking_past;
  Series to_gone;
};

void add(RowResult& result, const BombOutcome& outcome) {
  ++result.trials;
  result.won += outcome.won() ? 1 : 0;
  result.limit_reached += outcome.limit_reached ? 1 : 0;
  result.others_died += (outcome.guaranteed_died ? 1 : 0) + (outcome.burstable_died ? 1 : 0);
  result.forks_past.add(outcome.forks_past);
  result.forking_past.add(outcome.forking_past_ms);
  if (outcome.to_gone_ms) {
    result.to_gone.add(*outcome.to_gone_ms);
  }
}

void report_row(Report& report, const Racer& racer, const RowResult& result) {
  const nlohmann::json params = {
      {"racer", racer.name}, {"pid_max", kRoom.limit}, {"threshold", kRoom.threshold}};
  report.add("forks_past", params, "forks", result.forks_past,
             {{"trials", result.trials},
              {"won", result.won},
              {"pid_max reached", result.limit_reached},
              {"others died", result.others_died}});
  report.add("forking_past", params, "ms", result.forking_past);
  report.add("crossing_to_gone", params, "ms", result.to_gone);
}

Result<RowResult> run_row(PrivateGround& own, Cast& cast, const Racer& racer, int trials) {
  const Result<stage::DaemonProcess> daemon =
      start_racing_daemon({racer.mode,
                           own.tree,
                           programs_directory(),
                           own.scratch.path(),
                           cast.manifests(),
                           {{"pid.available", std::to_string(kRoom.threshold)}}});
  if (!daemon) {
    return tl::unexpected(daemon.error());
  }
  std::mt19937 random{std::random_device{}()};
  RowResult result;
  for (int trial = 0; trial < trials && !Interrupt::requested(); ++trial) {
    if (Result<> filled = cast.fill_bystanders(); !filled) {
      return tl::unexpected(filled.error());
    }
    pause_in_period(racer.mode, random);
    const Result<BombOutcome> outcome = run_bomb(cast, kRoom);
    if (!outcome) {
      return tl::unexpected(outcome.error());
    }
    add(result, *outcome);
  }
  return result;
}

Result<> run(const Arguments& arguments) {
  if (Result<> allowed = require_virtual_machine("fork_race", "pids"); !allowed) {
    return allowed;
  }
  Result<PrivateGround> own = PrivateGround::create();
  const Result<Bytes> memory = memory_total();
  const Result<PidLimit> limit = PidLimit::lower_to(kRoom.limit);
  if (!own || !memory || !limit) {
    return tl::unexpected(!own ? own.error() : !memory ? memory.error() : limit.error());
  }
  Report report{"fork_race"};
  Cast cast{own->tree, programs_directory() / "evict-load", own->scratch.path(), kHoldings,
            *memory};
  for (const Racer& racer : kRacers) {
    if (!arguments.rows.wants(racer.name)) {
      continue;
    }
    if (Result<> filled = cast.fill_bystanders(); !filled) {
      return filled;
    }
    const Result<RowResult> result = run_row(*own, cast, racer, arguments.trials);
    if (!result) {
      return fail_in(racer.name, result.error());
    }
    if (Interrupt::requested()) {
      return fail(Errc::kInvalid, "interrupted; nothing was written");
    }
    report_row(report, racer, *result);
  }
  return report.write(arguments.out);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "fork_race",
       .purpose = "A fork bomb and pid.available: gone before pid_max, and how many forks later",
       .add_options =
           [&](CLI::App& app) {
             app.add_option("--trials", arguments.trials, "trials a row")
                 ->check(CLI::Range(1, 100000));
             app.add_option("--rows", arguments.rows.with,
                            "only this row: evictd, evictd-grace or evictd-poll");
             app.add_option("--without", arguments.rows.without, "none of these rows");
           },
       .quick_means = "2 trials a row",
       .be_quick = [&] { arguments.trials = 2; },
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
