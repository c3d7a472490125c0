// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "cast/cast.h"
#include "cast/racing_daemon.h"
#include "cast/random_pause.h"
#include "evictd/try.h"
#include "fork_race/bystander.h"
#include "fork_race/pid_limit.h"
#include "fork_race/trial.h"
#include "harness/machine.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/trials.h"

namespace evictd::bench {
namespace {

/// Small, because an emulated machine forks about 150 processes a second and kills 400. The kernel
/// does not reuse its 300 lowest pids, so some 700 are left at the crossing. That is five seconds
/// of forking: more than a grace period and less than a poller's period.
constexpr PidRoom kRoom{.limit = 2048, .threshold = 1024};
/// Void trials of a row before it is given up.
constexpr int kMostVoid = 5;
constexpr Holdings kHoldings{32_MiB, 64_MiB, 16_MiB, 32_MiB};

struct Racer {
  const char* name;
  EvictdMode mode;
};
constexpr Racer kRacers[] = {{"evictd", EvictdMode::kBpf},
                             {"evictd-grace", EvictdMode::kBpfGrace},
                             {"evictd-poll", EvictdMode::kPoll}};

struct RowResult {
  int trials = 0;
  VoidTrials voids;
  int won = 0;
  int limit_reached = 0;
  int refused_untold = 0;
  int bystander_refused = 0;
  int others_died = 0;
  int without_crossing = 0;
  Series forks_past;
  Series forking_past;
  Series to_gone;
};

void add(RowResult& result, const BombOutcome& outcome) {
  ++result.trials;
  result.won += outcome.won() ? 1 : 0;
  result.limit_reached += outcome.limit_reached ? 1 : 0;
  result.refused_untold += outcome.refused_untold ? 1 : 0;
  result.bystander_refused += outcome.bystander_refused ? 1 : 0;
  result.others_died += (outcome.guaranteed_died ? 1 : 0) + (outcome.burstable_died ? 1 : 0);
  result.without_crossing += outcome.forks_past ? 0 : 1;
  if (outcome.forks_past && outcome.forking_past_ms) {
    result.forks_past.add(*outcome.forks_past);
    result.forking_past.add(*outcome.forking_past_ms);
  }
  if (outcome.to_gone_ms) {
    result.to_gone.add(*outcome.to_gone_ms);
  }
}

void report_row(Report& report, const Racer& racer, const RowResult& result) {
  const nlohmann::json params = {
      {"racer", racer.name}, {"pid_max", kRoom.limit}, {"threshold", kRoom.threshold}};
  report.add("forks_past", params, "forks", result.forks_past,
             {{"trials", result.trials},
              {"void", result.voids.count},
              {"won", result.won},
              {"pid_max reached", result.limit_reached},
              {"EAGAIN before its signal", result.refused_untold},
              {"a bystander's fork failed", result.bystander_refused},
              {"others died", result.others_died},
              {"dead before the crossing's stamp", result.without_crossing}});
  if (result.voids.count > 0) {
    report.add_row_note(std::string{racer.name} + ": " + std::to_string(result.voids.count) +
                        " void trials made again, the last because: " + result.voids.reason);
  }
  report.add("forking_past", params, "ms", result.forking_past);
  report.add("crossing_to_gone", params, "ms", result.to_gone);
}

Result<RowResult> run_row(PrivateGround& own, Cast& cast, const ForkingBystander& bystander,
                          const Racer& racer, int trials) {
  const Result<stage::DaemonProcess> daemon =
      start_racing_daemon({racer.mode,
                           own.tree.cgroup_root(),
                           programs_directory(),
                           own.scratch.path(),
                           cast.manifests(),
                           {{"pid.available", std::to_string(kRoom.threshold)}}});
  if (!daemon) {
    return tl::unexpected(daemon.error());
  }
  std::mt19937 random{std::random_device{}()};
  RowResult result;
  Result<VoidTrials> ran = run_trials_again(trials, kMostVoid, [&]() -> Result<bool> {
    EVICTD_TRY(cast.fill_bystanders());
    pause_in_period(racer.mode, random);
    EVICTD_ASSIGN_OR_RETURN(const BombOutcome outcome, run_bomb(cast, bystander, kRoom));
    add(result, outcome);
    return true;
  });
  if (!ran) {
    return tl::unexpected(ran.error());
  }
  result.voids = std::move(*ran);
  return result;
}

Result<> run(const TrialOptions& options) {
  EVICTD_TRY(require_virtual_machine("fork_race", "pids"));
  Result<PrivateGround> own = PrivateGround::create();
  const Result<Bytes> memory = memory_total();
  const Result<PidLimit> limit = PidLimit::lower_to(kRoom.limit);
  const Result<ForkingBystander> bystander = ForkingBystander::start();
  if (!own || !memory || !limit || !bystander) {
    return tl::unexpected(!own      ? own.error()
                          : !memory ? memory.error()
                          : !limit  ? limit.error()
                                    : bystander.error());
  }
  Report report{"fork_race"};
  Cast cast{own->tree, programs_directory() / "evict-load", own->scratch.path(), kHoldings,
            *memory};
  return run_rows(
      options.rows, kRacers, [](const Racer& racer) { return racer.name; },
      [&](const Racer& racer) -> Result<> {
        EVICTD_TRY(cast.fill_bystanders());
        EVICTD_ASSIGN_OR_RETURN(const RowResult result,
                                run_row(*own, cast, *bystander, racer, options.trials));
        report_row(report, racer, result);
        // Write at once: finished rows survive whatever ends the others.
        return report.write(options.out);
      });
}

int main_of(int argc, char** argv) {
  return run_trial_program(
      {.name = "fork_race",
       .purpose = "A fork bomb and pid.available: gone before pid_max, and how many forks later",
       .trials = 20,
       .quick_trials = 2,
       .rows_are = "only this row: evictd, evictd-grace or evictd-poll",
       .without_are = "none of these rows",
       .run = evictd::bench::run},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
