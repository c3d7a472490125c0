// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cast/cast.h"
#include "cast/random_pause.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "harness/machine.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/trials.h"
#include "oom_race/calm.h"
#include "oom_race/contestant.h"
#include "oom_race/plan.h"
#include "oom_race/race_swap.h"
#include "oom_race/tally.h"
#include "oom_race/trial.h"

namespace evictd::bench {
namespace {

constexpr Bytes kSwapSize = 512_MiB;
/// Together they leave the hog about 400 MiB of a 2 GiB machine, so that a trial takes seconds.
constexpr Holdings kHoldings{1280_MiB, 1408_MiB, 96_MiB, 128_MiB, stage::PageContent::kMixed};
/// The OOM killer never kills this process, so that it always cleans up.
constexpr int kOwnScore = -1000;
/// Void trials of a row before it is given up.
constexpr int kMostVoid = 5;

struct Race {
  PrivateGround own;
  Observer observer;
  Bytes capacity;
  MemoryWitness witness{};
  std::mt19937 random{std::random_device{}()};
  std::optional<RaceSwap> swap{};
  Report report{"oom_race"};
  int runs_given_up = 0;
};

/// Creates empty swap if the scene has swap; otherwise there is none. Pages that an earlier trial
/// swapped out are back in memory.
Result<> renew_swap(Race& race, const RaceScene& scene) {
  race.swap.reset();
  if (scene.swap == SwapKind::kNone) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(RaceSwap made, RaceSwap::start(scene.swap, kSwapSize));
  race.swap.emplace(std::move(made));
  return {};
}

/// Starts every run with new pods.
Result<> make_ready(Race& race, Cast& cast, const RaceScene& scene) {
  Result<> ready = cast.kill_bystanders();
  if (ready) {
    ready = renew_swap(race, scene);
  }
  return ready ? cast.fill_bystanders() : ready;
}

/// One run in progress.
struct Contest {
  Race& race;
  Cast& cast;
  const RaceRun& run;
  std::optional<Contestant> contestant{};
  /// When the racer killed the last hog.
  std::optional<MonoTime> last_kill{};
  RaceTally tally{run};
};

/// Counts a dead contestant.
void count_dead_contestant(Contest& contest) {
  if (contest.contestant && !contest.contestant->lives()) {
    contest.contestant.reset();
    contest.tally.add_death_of_contestant();
  }
  contest.tally.count_dead_between(contest.cast.dead_bystanders());
}

Result<> start_contestant(Contest& contest) {
  if (contest.contestant) {
    return {};
  }
  Race& race = contest.race;
  EVICTD_ASSIGN_OR_RETURN(
      Contestant started,
      Contestant::start({contest.run.first(), race.own.tree, programs_directory(),
                         race.own.scratch.path(), contest.cast.manifests()}));
  contest.contestant.emplace(std::move(started));
  return {};
}

/// Makes sure that all pods live, nothing is swapped out, and the contestant watches.
Result<> make_ready_again(Contest& contest) {
  count_dead_contestant(contest);
  Result<> ready = contest.cast.fill_bystanders();
  if (ready) {
    ready = renew_swap(contest.race, contest.run.first().scene);
  }
  // The contestant may have died from that, too.
  count_dead_contestant(contest);
  return ready ? start_contestant(contest) : ready;
}

/// Waits between two trials for the racer's sake: a poller's period, or systemd-oomd's rest.
Result<> pause_for_racer(Contest& contest) {
  const Racer racer = contest.run.first().racer;
  if (racer == Racer::kEvictdPoll) {
    pause_in_period(EvictdMode::kPoll, contest.race.random);
  }
  if (racer == Racer::kSystemdOomd) {
    return await_calm(contest.race.own.tree.memory_directory() / "besteffort" / "memory.pressure",
                      contest.last_kill);
  }
  return {};
}

Result<bool> make_trial(Contest& contest) {
  Race& race = contest.race;
  EVICTD_TRY(make_ready_again(contest));
  EVICTD_TRY(pause_for_racer(contest));
  EVICTD_ASSIGN_OR_RETURN(
      const RaceOutcome outcome,
      run_race(contest.run, contest.cast, race.observer, race.witness, race.capacity));
  contest.tally.add(outcome);
  if (outcome.end == HogEnd::kEvicted) {
    contest.last_kill = outcome.hog_died_at;
  }
  return true;
}

Result<RaceTally> make_trials(Race& race, Cast& cast, const RaceRun& run, int trials) {
  EVICTD_TRY(make_ready(race, cast, run.first().scene));
  Contest contest{race, cast, run};
  const Result<std::int64_t> before = machine_oom_kills();
  const Result<> started = start_contestant(contest);
  if (!before || !started) {
    return tl::unexpected(before ? started.error() : before.error());
  }
  Result<VoidTrials> voids =
      run_trials_again(trials, kMostVoid, [&] { return make_trial(contest); });
  if (!voids) {
    return tl::unexpected(voids.error());
  }
  count_dead_contestant(contest);
  EVICTD_ASSIGN_OR_RETURN(const std::int64_t after, machine_oom_kills());
  contest.tally.add(std::move(*voids));
  contest.tally.add_oom_kills_of_run(after - *before);
  return std::move(contest.tally);
}

/// Adds rows without values that say "not run" until they are measured.
void report_not_run(Report& report, const RaceRun& run, const std::string& why) {
  for (const RaceRow& row : run.rows) {
    report.add("race", params_of(row), "ms", Series{});
    report.add_row_note(title_of(row) + ": NOT RUN, " + why);
  }
}

/// Reports a run. A failed run is given up, but the others continue: the failure may be its own,
/// and the others may take hours. Errors: kBusy if the bench is interrupted.
Result<> run_and_report(Race& race, Cast& cast, const RaceRun& run, int trials) {
  if (!is_installed(run.first().racer)) {
    report_not_run(race.report, run, "not installed on this machine");
    return {};
  }
  const Result<RaceTally> tally = make_trials(race, cast, run, trials);
  if (tally) {
    tally->report_to(race.report);
    return {};
  }
  EVICTD_TRY(Interrupt::check());
  report_not_run(race.report, run, tally.error().message());
  ++race.runs_given_up;
  return {};
}

Result<> run_group(Race& race, Cast& cast, const std::vector<RaceRun>& runs,
                   const TrialOptions& options) {
  for (const RaceRun& run : runs) {
    Result<> ran = run_and_report(race, cast, run, options.trials);
    if (ran) {
      // Write at once: finished rows survive whatever ends the others.
      ran = race.report.write(options.out);
    }
    if (!ran) {
      return fail_in(title_of(run.first()), ran.error());
    }
  }
  return {};
}

Result<> run(const TrialOptions& options) {
  EVICTD_TRY(require_virtual_machine("oom_race", "memory"));
  EVICTD_TRY(set_oom_score_adj(::getpid(), kOwnScore));
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  Result<PrivateGround> own = PrivateGround::create();
  Result<Observer> observer = Observer::create();
  const Result<Bytes> capacity = memory_total();
  if (!own || !observer || !capacity) {
    return tl::unexpected(!own ? own.error() : !observer ? observer.error() : capacity.error());
  }
  Race race{std::move(*own), std::move(*observer), *capacity};
  race.report.note(std::string{"observer: "} + race.observer.hook());
  race.report.note(
      "rivals do not know the threshold: their rows of 100Mi and of 5% are of the same trials, "
      "each from its own crossing");
  Cast cast{race.own.tree, programs_directory() / "evict-load", race.own.scratch.path(), kHoldings,
            race.capacity};
  for (const std::vector<RaceRun>& runs : race_plan(options.rows)) {
    EVICTD_TRY(run_group(race, cast, runs, options));
  }
  if (race.runs_given_up > 0) {
    return fail(Errc::kIo, std::to_string(race.runs_given_up) +
                               " runs were given up; the results say which and why");
  }
  return {};
}

int main_of(int argc, char** argv) {
  return run_trial_program(
      {.name = "oom_race",
       .purpose = "Who ends a hog before the kernel's OOM killer does: evictd beside its rivals",
       .trials = 20,
       .quick_trials = 2,
       .rows_are = "only rows whose title has all of these words: evictd evictd-grace "
                   "evictd-bridge evictd-poll evictd-kubelet evictd-kubelet-grace earlyoom nohang "
                   "oomd systemd-oomd, "
                   "100MiB/s 300MiB/s full, 4k thp, "
                   "100Mi 5%, "
                   "noswap zram swapfile",
       .without_are = "no row whose title has one of these words",
       .run = evictd::bench::run},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
